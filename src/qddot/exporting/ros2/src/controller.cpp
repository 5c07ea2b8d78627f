#include "@package@/controller.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"
#include "rclcpp/logging.hpp"

namespace @package@ {

using controller_interface::InterfaceConfiguration;
using controller_interface::interface_configuration_type;
using controller_interface::return_type;
using hardware_interface::HW_IF_ACCELERATION;
using hardware_interface::HW_IF_EFFORT;
using hardware_interface::HW_IF_POSITION;
using hardware_interface::HW_IF_VELOCITY;

namespace {

constexpr double LONGEST_TIMEOUT = 3600.0;  // [s]
constexpr std::int64_t MOST_BAD_CYCLES = 1000;

std::vector<double> list(const Joints& x) { return {x.begin(), x.end()}; }

/// Find where each joint's interface is among those that were handed over; throws what is missing.
template <class Interfaces>
std::array<std::size_t, JOINTS> places(const Interfaces& interfaces,
                                       const std::array<std::string, JOINTS>& joints,
                                       const std::string& kind) {
  std::array<std::size_t, JOINTS> found{};
  for (std::size_t i = 0; i < JOINTS; ++i) {
    const std::string wanted = joints[i] + "/" + kind;
    const auto at = std::find_if(interfaces.begin(), interfaces.end(),
                                 [&](const auto& each) { return each.get_name() == wanted; });
    if (at == interfaces.end())
      throw std::runtime_error("the interface '" + wanted + "' was not handed over");
    found[i] = static_cast<std::size_t>(at - interfaces.begin());
  }
  return found;
}

}  // namespace

Controller::CallbackReturn Controller::on_init() {
  try {
    const std::vector<std::string> names(JOINT_NAMES.begin(), JOINT_NAMES.end());
    auto_declare<std::string>("law", std::string(LAWS.front().name));
    auto_declare<std::string>("prefix", "");
    auto_declare<std::vector<std::string>>("joints", names);
    auto_declare<std::vector<double>>("max_effort", list(LARGEST_EFFORT));
    auto_declare<double>("reference_timeout", 0.0);
    auto_declare<std::int64_t>("tolerated_bad_cycles", 5);
    for (const Law& law : LAWS) {
      const std::string gains = "gains." + std::string(law.name);
      auto_declare<std::vector<double>>(gains + ".kp", list(law.kp));
      auto_declare<std::vector<double>>(gains + ".kd", list(law.kd));
    }
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "A parameter cannot be declared: %s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

Joints Controller::numbers(const std::string& parameter, const Joints& highest) const {
  const auto found = get_node()->get_parameter(parameter).as_double_array();
  if (found.size() != JOINTS)
    throw std::runtime_error(parameter + " has " + std::to_string(found.size()) +
                             " numbers; give one for each of " + std::to_string(JOINTS) + " joints");
  for (std::size_t i = 0; i < JOINTS; ++i)
    if (!(found[i] >= 0.0 && found[i] <= highest[i]))
      throw std::runtime_error(parameter + " of joint '" + std::string(JOINT_NAMES[i]) + "' is " +
                               std::to_string(found[i]) + "; it must be from 0 to " +
                               std::to_string(highest[i]));
  Joints numbers{};
  std::copy(found.begin(), found.end(), numbers.begin());
  return numbers;
}

Controller::CallbackReturn Controller::on_configure(const rclcpp_lifecycle::State&) {
  try {
    const auto name = get_node()->get_parameter("law").as_string();
    const auto law = std::find_if(LAWS.begin(), LAWS.end(),
                                  [&](const Law& each) { return each.name == name; });
    if (law == LAWS.end()) {
      std::string known;
      for (const Law& each : LAWS) known += " " + std::string(each.name);
      throw std::runtime_error("there is no law '" + name + "'; there are:" + known);
    }
    core_.law = &*law;
    const auto prefix = get_node()->get_parameter("prefix").as_string();
    const auto joints = get_node()->get_parameter("joints").as_string_array();
    for (std::size_t i = 0; i < JOINTS; ++i) {
      names_[i] = prefix + std::string(JOINT_NAMES[i]);
      const auto& own = std::string(JOINT_NAMES[i]);
      if (std::count(joints.begin(), joints.end(), names_[i]) +
              (prefix.empty() ? 0 : std::count(joints.begin(), joints.end(), own)) != 1)
        throw std::runtime_error("joints must name '" + names_[i] + "' once");
    }
    if (joints.size() != JOINTS)
      throw std::runtime_error("joints has " + std::to_string(joints.size()) +
                               " names; the model has " + std::to_string(JOINTS) + " joints");
    const std::string gains = "gains." + name;
    core_.kp = numbers(gains + ".kp", law->largest_kp);
    core_.kd = numbers(gains + ".kd", law->largest_kd);
    core_.max_effort = numbers("max_effort", LARGEST_EFFORT);
    timeout_ = get_node()->get_parameter("reference_timeout").as_double();
    if (!(timeout_ >= 0.0 && timeout_ <= LONGEST_TIMEOUT))
      throw std::runtime_error("reference_timeout must be from 0 (never) to 3600 s");
    core_.tolerated_bad_cycles = get_node()->get_parameter("tolerated_bad_cycles").as_int();
    if (core_.tolerated_bad_cycles < 0 || core_.tolerated_bad_cycles > MOST_BAD_CYCLES)
      throw std::runtime_error("tolerated_bad_cycles must be from 0 to 1000");
    subscription_ = get_node()->create_subscription<trajectory_msgs::msg::JointTrajectory>(
        "~/reference", rclcpp::SystemDefaultsQoS(),
        [this](const trajectory_msgs::msg::JointTrajectory& message) { receive(message); });
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "It cannot be configured: %s.", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

InterfaceConfiguration Controller::command_interface_configuration() const {
  InterfaceConfiguration wanted{interface_configuration_type::INDIVIDUAL, {}};
  for (const auto& name : names_) wanted.names.push_back(name + "/" + HW_IF_EFFORT);
  return wanted;
}

InterfaceConfiguration Controller::state_interface_configuration() const {
  InterfaceConfiguration wanted{interface_configuration_type::INDIVIDUAL, {}};
  for (const char* kind : {HW_IF_POSITION, HW_IF_VELOCITY})
    for (const auto& name : names_) wanted.names.push_back(name + "/" + kind);
  return wanted;
}

std::vector<std::string> Controller::reference_names() const {
  std::vector<std::string> found;
  for (const char* kind : {HW_IF_POSITION, HW_IF_VELOCITY, HW_IF_ACCELERATION})
    for (const auto& name : names_) found.push_back(name + "/" + kind);
  return found;
}

bool Controller::on_set_chained_mode(bool) { return true; }

Controller::CallbackReturn Controller::on_activate(const rclcpp_lifecycle::State&) {
  try {
    if (command_interfaces_.size() != JOINTS || state_interfaces_.size() != 2 * JOINTS)
      throw std::runtime_error(
          "it has " + std::to_string(command_interfaces_.size()) + " command and " +
          std::to_string(state_interfaces_.size()) + " state interfaces; it needs " +
          std::to_string(JOINTS) + " and " + std::to_string(2 * JOINTS));
    effort_at_ = places(command_interfaces_, names_, HW_IF_EFFORT);
    position_at_ = places(state_interfaces_, names_, HW_IF_POSITION);
    velocity_at_ = places(state_interfaces_, names_, HW_IF_VELOCITY);
    if (!read_state() || !core_.start(q_, qd_))
      throw std::runtime_error("a measured position or velocity is not a finite number");
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "It cannot be activated: %s.", error.what());
    return CallbackReturn::ERROR;
  }
  told_.position.fill(NOT_GIVEN);
  told_.velocity.fill(NOT_GIVEN);
  told_.acceleration.fill(NOT_GIVEN);
  for (std::size_t i = 0; i < references(); ++i) write_reference(i, NOT_GIVEN);
  received_.take();  // what was sent before is no reference for now
  silent_ = 0.0;
  return CallbackReturn::SUCCESS;
}

Controller::CallbackReturn Controller::on_deactivate(const rclcpp_lifecycle::State&) {
  write(Joints{});
  RCLCPP_INFO(get_node()->get_logger(), "cycles with efforts at a limit: %llu, with bad numbers: %llu",
              static_cast<unsigned long long>(core_.cut_off),
              static_cast<unsigned long long>(core_.bad_cycles));
  return CallbackReturn::SUCCESS;
}

Controller::CallbackReturn Controller::on_cleanup(const rclcpp_lifecycle::State&) {
  subscription_.reset();
  return CallbackReturn::SUCCESS;
}

void Controller::receive(const trajectory_msgs::msg::JointTrajectory& message) {
  Reference next;
  next.position.fill(NOT_GIVEN);
  next.velocity.fill(NOT_GIVEN);
  next.acceleration.fill(NOT_GIVEN);
  const std::size_t count = message.joint_names.size();
  bool good = count > 0 && message.points.size() == 1;
  for (std::size_t k = 0; good && k < count; ++k) {
    const auto at = std::find(names_.begin(), names_.end(), message.joint_names[k]);
    const auto& point = message.points.front();
    good = at != names_.end() && point.positions.size() == count;
    if (!good) break;
    const auto i = static_cast<std::size_t>(at - names_.begin());
    next.position[i] = point.positions[k];
    if (point.velocities.size() == count) next.velocity[i] = point.velocities[k];
    if (point.accelerations.size() == count) next.acceleration[i] = point.accelerations[k];
  }
  if (good)
    received_.put(next);
  else
    RCLCPP_WARN(get_node()->get_logger(),
                "A reference is left out: it needs one point, with a position for each name, and "
                "names of this controller's joints.");
}

return_type Controller::update_reference_from_subscribers(const rclcpp::Time&,
                                                          const rclcpp::Duration& period) {
  silent_ += period.seconds();
  if (const Reference* next = received_.take()) {
    silent_ = 0.0;
    for (std::size_t i = 0; i < JOINTS; ++i) {
      write_reference(i, next->position[i]);
      write_reference(JOINTS + i, next->velocity[i]);
      write_reference(2 * JOINTS + i, next->acceleration[i]);
    }
  } else if (timeout_ > 0.0 && silent_ > timeout_) {  // stay there
    for (std::size_t i = JOINTS; i < 3 * JOINTS; ++i) write_reference(i, NOT_GIVEN);
  }
  return return_type::OK;
}

return_type Controller::update_and_write_commands(const rclcpp::Time&, const rclcpp::Duration&) {
  for (std::size_t i = 0; i < JOINTS; ++i) {
    read_reference(i, told_.position[i]);
    read_reference(JOINTS + i, told_.velocity[i]);
    read_reference(2 * JOINTS + i, told_.acceleration[i]);
  }
  core_.follow(told_);
  if (!read_state()) q_.fill(NOT_GIVEN);
  const bool goes_on = core_.step(q_, qd_, efforts_);
  write(efforts_);
  return goes_on ? return_type::OK : return_type::ERROR;
}

bool Controller::read_state() {
  bool all = true;
  for (std::size_t i = 0; i < JOINTS; ++i) {
    const auto q = state_interfaces_[position_at_[i]].get_optional();
    const auto qd = state_interfaces_[velocity_at_[i]].get_optional();
    all = all && q.has_value() && qd.has_value();
    q_[i] = q.value_or(NOT_GIVEN);
    qd_[i] = qd.value_or(NOT_GIVEN);
  }
  return all;
}

void Controller::write(const Joints& efforts) {
  for (std::size_t i = 0; i < JOINTS; ++i)
    static_cast<void>(command_interfaces_[effort_at_[i]].set_value(efforts[i]));
}

}  // namespace @package@

PLUGINLIB_EXPORT_CLASS(@package@::Controller, controller_interface::ChainableControllerInterface)
