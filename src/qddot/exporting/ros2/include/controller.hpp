/// A chainable controller of ros2_control: efforts by a law that knows the arm.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "@package@/core.hpp"
#include "@package@/references.hpp"
#include "controller_interface/chainable_controller_interface.hpp"
#include "rclcpp/subscription.hpp"
#include "rclcpp_lifecycle/state.hpp"
#include "trajectory_msgs/msg/joint_trajectory.hpp"

namespace @package@ {

/**
 * It claims JOINT/effort as commands, JOINT/position and JOINT/velocity as states, and exports
 * NAME/JOINT/position, /velocity and /acceleration as references for a controller before it.
 * Without one, references come from the topic ~/reference. Parameters: see config/controllers.yaml.
 */
class Controller : public References<controller_interface::ChainableControllerInterface> {
 public:
  using CallbackReturn = controller_interface::CallbackReturn;

  CallbackReturn on_init() override;
  CallbackReturn on_configure(const rclcpp_lifecycle::State& previous_state) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State& previous_state) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State& previous_state) override;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State& previous_state) override;

  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;

 protected:
  std::vector<std::string> reference_names() const override;
  bool on_set_chained_mode(bool chained_mode) override;
  controller_interface::return_type update_reference_from_subscribers(
      const rclcpp::Time& time, const rclcpp::Duration& period) override;
  controller_interface::return_type update_and_write_commands(
      const rclcpp::Time& time, const rclcpp::Duration& period) override;

 private:
  void receive(const trajectory_msgs::msg::JointTrajectory& message);
  Joints numbers(const std::string& parameter, const Joints& highest) const;
  bool read_state();
  void write(const Joints& efforts);

  Core core_;
  std::array<std::string, JOINTS> names_;  ///< of the joints in the hardware, the model's order
  std::array<std::size_t, JOINTS> effort_at_{}, position_at_{}, velocity_at_{};
  Joints q_{}, qd_{}, efforts_{};
  Reference told_{};
  Mailbox<Reference> received_;
  double timeout_ = 0.0, silent_ = 0.0;  ///< [s]
  rclcpp::Subscription<trajectory_msgs::msg::JointTrajectory>::SharedPtr subscription_;
};

}  // namespace @package@
