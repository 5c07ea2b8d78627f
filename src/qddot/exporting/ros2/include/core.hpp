/// What the controller does in each cycle, without ROS: laws, limits, and numbers that are none.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "@package@/model.hpp"

namespace @package@ {

/// Where the joints should be. A number that is not finite says nothing about its joint.
struct Reference {
  Joints position, velocity, acceleration;
};

/// The newest of what one thread puts, for one other thread: neither waits, nothing is allocated.
template <class T>
class Mailbox {
 public:
  void put(const T& x) noexcept {
    slots_[writing_] = x;
    writing_ = between_.exchange(writing_ | NEW, std::memory_order_acq_rel) & ~NEW;
  }

  /// Return what was put since the last call; nullptr if nothing was.
  const T* take() noexcept {
    if (!(between_.load(std::memory_order_relaxed) & NEW)) return nullptr;
    reading_ = between_.exchange(reading_, std::memory_order_acq_rel) & ~NEW;
    return &slots_[reading_];
  }

 private:
  static constexpr unsigned NEW = 4;
  std::array<T, 3> slots_{};
  std::atomic<unsigned> between_{1};
  unsigned writing_ = 0, reading_ = 2;
};

/// A law with its gains, kept within the limits of the arm.
class Core {
 public:
  const Law* law = &LAWS.front();
  Joints kp{}, kd{};
  Joints max_effort = LARGEST_EFFORT;
  std::int64_t tolerated_bad_cycles = 0;

  std::uint64_t cut_off = 0;     ///< cycles in which an effort was cut off at its limit
  std::uint64_t bad_cycles = 0;  ///< cycles whose state or efforts were not finite

  /// Begin to hold the arm where it is; false if its state is not finite.
  bool start(const Joints& q, const Joints& qd) noexcept {
    if (!finite(q) || !finite(qd)) return false;
    wanted_ = {q, Joints{}, Joints{}};
    efforts_ = Joints{};
    in_a_row_ = 0;
    cut_off = bad_cycles = 0;
    return true;
  }

  /// Follow a reference: positions within the limits, and at a limit no further.
  void follow(const Reference& reference) noexcept {
    for (std::size_t i = 0; i < JOINTS; ++i) {
      double& position = wanted_.position[i];
      if (std::isfinite(reference.position[i])) position = reference.position[i];
      const double kept = within(position, LOWEST[i], HIGHEST[i]);
      const bool stops = kept != position;
      position = kept;
      wanted_.velocity[i] =
          stops ? 0.0 : within(or_zero(reference.velocity[i]), -LARGEST_VELOCITY[i], LARGEST_VELOCITY[i]);
      wanted_.acceleration[i] = stops ? 0.0 : or_zero(reference.acceleration[i]);
    }
  }

  /// Compute the efforts of this cycle; those of the last one, if something is not finite.
  /// False if that was so too many times in a row: the controller has to stop.
  bool step(const Joints& q, const Joints& qd, Joints& efforts) noexcept {
    Joints found;
    bool good = finite(q) && finite(qd);
    if (good) {
      const double time = 0.0;
      law->torques(&time, q.data(), qd.data(), wanted_.position.data(), wanted_.velocity.data(),
                   wanted_.acceleration.data(), kp.data(), kd.data(), found.data());
      good = finite(found);
    }
    if (good) {
      bool cut = false;
      for (std::size_t i = 0; i < JOINTS; ++i) {
        efforts_[i] = within(found[i], -max_effort[i], max_effort[i]);
        cut = cut || efforts_[i] != found[i];
      }
      cut_off += cut;
    }
    bad_cycles += !good;
    in_a_row_ = good ? 0 : in_a_row_ + 1;
    efforts = efforts_;
    return in_a_row_ <= tolerated_bad_cycles;
  }

  const Reference& wanted() const noexcept { return wanted_; }

 private:
  static bool finite(const Joints& x) noexcept {
    bool all = true;
    for (const double number : x) all = all && std::isfinite(number);
    return all;
  }
  static double or_zero(double x) noexcept { return std::isfinite(x) ? x : 0.0; }
  static double within(double x, double lowest, double highest) noexcept {
    return x < lowest ? lowest : x > highest ? highest : x;
  }

  Reference wanted_{};
  Joints efforts_{};
  std::int64_t in_a_row_ = 0;
};

}  // namespace @package@
