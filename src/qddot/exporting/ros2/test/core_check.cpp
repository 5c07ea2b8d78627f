/// Check what the controller does with limits and with numbers that are none: status 0 if right.

#include <cmath>
#include <cstdio>
#include <limits>

#include "@package@/core.hpp"

namespace {

using namespace @package@;

int wrong = 0;

void check(bool holds, const char* what) {
  std::printf("%-70s %s\n", what, holds ? "right" : "WRONG");
  wrong += !holds;
}

constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

Joints all(double x) {
  Joints found;
  found.fill(x);
  return found;
}

/// A place within the limits.
Joints middle() {
  Joints q;
  for (std::size_t i = 0; i < JOINTS; ++i) {
    const double low = std::isfinite(LOWEST[i]) ? LOWEST[i] : -1.0;
    const double high = std::isfinite(HIGHEST[i]) ? HIGHEST[i] : 1.0;
    q[i] = 0.5 * (low + high);
  }
  return q;
}

void check_law(const Law& law) {
  std::printf("%s\n", law.name.data());
  Core core;
  core.law = &law;
  core.kp = law.kp;
  core.kd = law.kd;
  core.tolerated_bad_cycles = 2;
  const Joints q = middle(), still{}, bad = all(NONE);
  Joints efforts, again;
  check(!core.start(bad, still), "a state that is not finite does not start it");
  check(core.start(q, still), "a finite one does");
  check(core.step(q, still, efforts), "a cycle goes well");
  core.follow({all(NONE), all(NONE), all(NONE)});
  check(core.step(q, still, again) && again == efforts, "a reference of NaN changes nothing");
  check(core.step(bad, still, again) && core.step(q, bad, again) && again == efforts,
        "with a state of NaN the efforts stay as they were");
  check(!core.step(bad, still, again), "a third time in a row stops it");
  check(core.step(q, still, again) && core.bad_cycles == 3, "a good state goes on");

  core.follow({all(1e6), all(1.0), all(1.0)});
  bool within = true;
  for (std::size_t i = 0; i < JOINTS; ++i) {
    const bool ends = std::isfinite(HIGHEST[i]);
    within = within && core.wanted().position[i] == (ends ? HIGHEST[i] : 1e6);
    within = within && (!ends || core.wanted().velocity[i] == 0.0);
  }
  check(within, "a reference beyond a limit is that limit, and stands still there");

  core.max_effort = all(1e-9);
  bool cut = core.step(q, all(0.1), efforts);
  for (const double effort : efforts) cut = cut && std::fabs(effort) <= 1e-9;
  check(cut, "efforts are cut off at their limit");
}

}  // namespace

int main() {
  for (const Law& law : LAWS) check_law(law);
  Mailbox<int> box;
  check(box.take() == nullptr, "an empty mailbox gives nothing");
  box.put(1);
  box.put(2);
  const int* newest = box.take();
  check(newest && *newest == 2 && box.take() == nullptr, "a mailbox gives the newest, once");
  std::printf(wrong ? "%d checks failed\n" : "all is right\n", wrong);
  return wrong != 0;
}
