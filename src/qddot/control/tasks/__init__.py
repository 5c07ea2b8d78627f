"""Tasks of frames, the centre of mass and the posture, and joint velocities for all of them."""

from qddot.control.tasks.com_task import ComTask
from qddot.control.tasks.followed import FollowedTasks
from qddot.control.tasks.frame_task import FrameTask
from qddot.control.tasks.posture_task import PostureTask
from qddot.control.tasks.task_velocity import TaskVelocity

__all__ = ["ComTask", "FollowedTasks", "FrameTask", "PostureTask", "TaskVelocity"]
