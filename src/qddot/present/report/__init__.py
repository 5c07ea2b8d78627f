"""One page about a robot, from its skeleton to the speed of its kernels, that works offline."""
