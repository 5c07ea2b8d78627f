/// What a controller and a solver use of ROS 2, without ROS 2: small stand-ins for the headers of
/// ros2_control, rclcpp, pluginlib, trajectory_msgs and inverse_dynamics_solver. Names, signatures,
/// const, virtual, [[nodiscard]] and deleted copies are as in ros2_control of Jazzy (2025 and later);
/// with -DSTUB_LISTS references are asked for as in Lyrical and Rolling. Bodies are the least that
/// the calls need: nothing is sent, and no thread is started.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace stub {
inline std::string said;  // everything that was logged
inline void log(const char* words, ...) __attribute__((format(printf, 1, 2)));
inline void log(const char* words, ...) {
  char line[1000];
  va_list more;
  va_start(more, words);
  std::vsnprintf(line, sizeof line, words, more);
  va_end(more);
  said += std::string(line) + "\n";
}
template <class Base>
inline std::map<std::string, std::function<std::unique_ptr<Base>()>> plugins;
}  // namespace stub

#define RCLCPP_ERROR(logger, ...) (static_cast<void>(logger), stub::log(__VA_ARGS__))
#define RCLCPP_WARN RCLCPP_ERROR
#define RCLCPP_INFO RCLCPP_ERROR

// pluginlib/class_list_macros.hpp
#define PLUGINLIB_EXPORT_CLASS(Class, Base)                                                   \
  static const bool exported = [] {                                                           \
    stub::plugins<Base>[#Class] = [] { return std::unique_ptr<Base>(new Class()); };          \
    return true;                                                                              \
  }();                                                                                        \
  extern const bool* const is_exported;                                                       \
  const bool* const is_exported = &exported;

namespace rclcpp {

class Logger {};
class Time {
 public:
  explicit Time(std::int64_t nanoseconds = 0) : t(nanoseconds) {}
  double seconds() const { return static_cast<double>(t) * 1e-9; }
 private:
  std::int64_t t;
};
class Duration {
 public:
  Duration(std::int32_t seconds, std::uint32_t nanoseconds) : t(seconds + 1e-9 * nanoseconds) {}
  double seconds() const { return t; }
 private:
  double t;
};
class SystemDefaultsQoS {};
class NodeOptions {};

class Parameter {
 public:
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string,
                             std::vector<double>, std::vector<std::string>>;
  Parameter() = default;
  explicit Parameter(Value x) : value(std::move(x)) {}
  std::int64_t as_int() const { return std::get<std::int64_t>(value); }
  double as_double() const { return std::get<double>(value); }
  std::string as_string() const { return std::get<std::string>(value); }
  std::vector<double> as_double_array() const { return std::get<std::vector<double>>(value); }
  std::vector<std::string> as_string_array() const {
    return std::get<std::vector<std::string>>(value);
  }
  template <class T>
  T get_value() const { return std::get<T>(value); }
  Value value;
};

namespace node_interfaces {
class NodeParametersInterface {
 public:
  using ConstSharedPtr = std::shared_ptr<const NodeParametersInterface>;
  virtual ~NodeParametersInterface() = default;
  virtual bool has_parameter(const std::string& name) const = 0;
  virtual bool get_parameter(const std::string& name, rclcpp::Parameter& parameter) const = 0;
};
}  // namespace node_interfaces

namespace exceptions {
class InvalidParameterValueException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
}  // namespace exceptions

template <class Message>
class Subscription {
 public:
  using SharedPtr = std::shared_ptr<Subscription<Message>>;
  std::string topic;
  std::function<void(const Message&)> callback;
};

}  // namespace rclcpp

namespace trajectory_msgs::msg {
struct JointTrajectoryPoint {
  std::vector<double> positions, velocities, accelerations, effort;
};
struct JointTrajectory {
  std::vector<std::string> joint_names;
  std::vector<JointTrajectoryPoint> points;
};
}  // namespace trajectory_msgs::msg

namespace stub {
inline std::map<std::string, rclcpp::Parameter> overrides;  // what a YAML file gives
inline std::map<std::string, std::function<void(const trajectory_msgs::msg::JointTrajectory&)>>
    topics;
}  // namespace stub

namespace rclcpp_lifecycle {

class State {};

namespace node_interfaces {
class LifecycleNodeInterface {
 public:
  enum class CallbackReturn : std::uint8_t { SUCCESS = 97, FAILURE = 98, ERROR = 99 };
  virtual ~LifecycleNodeInterface() = default;
  virtual CallbackReturn on_configure(const State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_cleanup(const State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_activate(const State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_deactivate(const State&) { return CallbackReturn::SUCCESS; }
};
}  // namespace node_interfaces

class LifecycleNode {
 public:
  explicit LifecycleNode(std::string name) : name_(std::move(name)) {}
  const char* get_name() const { return name_.c_str(); }
  rclcpp::Logger get_logger() const { return {}; }
  bool has_parameter(const std::string& name) const { return parameters_.count(name) > 0; }
  rclcpp::Parameter get_parameter(const std::string& name) const { return parameters_.at(name); }
  template <class T>
  T declare_parameter(const std::string& name, const T& value) {
    const auto given = stub::overrides.find(name);
    parameters_[name] = given == stub::overrides.end() ? rclcpp::Parameter(value) : given->second;
    return parameters_[name].template get_value<T>();
  }
  template <class Message, class Callback>
  typename rclcpp::Subscription<Message>::SharedPtr create_subscription(
      const std::string& topic, const rclcpp::SystemDefaultsQoS&, Callback&& callback) {
    stub::topics[topic] = callback;
    return std::make_shared<rclcpp::Subscription<Message>>();
  }

 private:
  std::string name_;
  std::map<std::string, rclcpp::Parameter> parameters_;
};

}  // namespace rclcpp_lifecycle

namespace hardware_interface {

constexpr char HW_IF_POSITION[] = "position";
constexpr char HW_IF_VELOCITY[] = "velocity";
constexpr char HW_IF_ACCELERATION[] = "acceleration";
constexpr char HW_IF_EFFORT[] = "effort";

class Handle {
 public:
  Handle(const std::string& prefix_name, const std::string& interface_name,
         double* value_ptr = nullptr)
      : prefix_name_(prefix_name), name_(prefix_name + "/" + interface_name),
        value_ptr_(value_ptr) {
#if defined(STUB_LISTS)
    if (value_ptr) throw std::runtime_error("a handle holds its value itself");
#else
    if (!value_ptr) throw std::runtime_error("a handle needs a pointer to its value");
#endif
  }
  Handle(Handle&& other) noexcept
      : prefix_name_(std::move(other.prefix_name_)), name_(std::move(other.name_)),
        value_(other.value_), value_ptr_(other.value_ptr_) {}
  virtual ~Handle() = default;

  const std::string& get_name() const { return name_; }
  const std::string& get_prefix_name() const { return prefix_name_; }
  template <typename T = double>
  [[nodiscard]] std::optional<T> get_optional() const {
    std::shared_lock<std::shared_mutex> lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return std::nullopt;
    return value_ptr_ ? *value_ptr_ : value_;
  }
  template <typename T>
  [[nodiscard]] bool set_value(const T& value) {
    std::unique_lock<std::shared_mutex> lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    (value_ptr_ ? *value_ptr_ : value_) = value;
    return true;
  }

 private:
  std::string prefix_name_, name_;
  double value_ = std::numeric_limits<double>::quiet_NaN();
  double* value_ptr_;
  mutable std::shared_mutex mutex_;
};

class StateInterface : public Handle {
 public:
  using Handle::Handle;
  using ConstSharedPtr = std::shared_ptr<const StateInterface>;
};
class CommandInterface : public Handle {
 public:
  using Handle::Handle;
  CommandInterface(const CommandInterface&) = delete;
  CommandInterface(CommandInterface&&) = default;
  using SharedPtr = std::shared_ptr<CommandInterface>;
};

template <class Interface>
class Loaned {
 public:
  explicit Loaned(std::shared_ptr<Interface> interface) : interface_(interface) {}
  Loaned(const Loaned&) = delete;
  Loaned(Loaned&&) = default;
  const std::string& get_name() const { return interface_->get_name(); }
  template <typename T = double>
  [[nodiscard]] std::optional<T> get_optional(unsigned int = 10) const {
    return interface_->template get_optional<T>();
  }

 protected:
  std::shared_ptr<Interface> interface_;
};
class LoanedStateInterface : public Loaned<const StateInterface> {
  using Loaned::Loaned;
};
class LoanedCommandInterface : public Loaned<CommandInterface> {
 public:
  using Loaned::Loaned;
  template <typename T>
  [[nodiscard]] bool set_value(const T& value, unsigned int = 10) {
    return interface_->set_value(value);
  }
};

}  // namespace hardware_interface

namespace controller_interface {

using CallbackReturn = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;
enum class return_type : std::uint8_t { OK = 0, ERROR = 1 };
enum class interface_configuration_type : std::uint8_t { ALL = 0, INDIVIDUAL = 1, NONE = 2 };
struct InterfaceConfiguration {
  interface_configuration_type type;
  std::vector<std::string> names = {};
};

class ControllerInterfaceBase : public rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface {
 public:
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual void assign_interfaces(
      std::vector<hardware_interface::LoanedCommandInterface>&& command_interfaces,
      std::vector<hardware_interface::LoanedStateInterface>&& state_interfaces) {
    command_interfaces_ = std::move(command_interfaces);
    state_interfaces_ = std::move(state_interfaces);
  }
  virtual CallbackReturn on_init() = 0;
  virtual return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) = 0;
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> get_node() { return node_; }
  std::shared_ptr<const rclcpp_lifecycle::LifecycleNode> get_node() const { return node_; }
  return_type init(const std::string& name, const std::string&, unsigned int, const std::string&,
                   const rclcpp::NodeOptions&) {
    node_ = std::make_shared<rclcpp_lifecycle::LifecycleNode>(name);
    return on_init() == CallbackReturn::SUCCESS ? return_type::OK : return_type::ERROR;
  }
  template <typename ParameterT>
  auto auto_declare(const std::string& name, const ParameterT& default_value) {
    return node_->declare_parameter<ParameterT>(name, default_value);
  }

 protected:
  std::vector<hardware_interface::LoanedCommandInterface> command_interfaces_;
  std::vector<hardware_interface::LoanedStateInterface> state_interfaces_;

 private:
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node_;
};

class ChainableControllerInterface : public ControllerInterfaceBase {
 public:
  return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) final {
    if (!chained_ && update_reference_from_subscribers(time, period) != return_type::OK)
      return return_type::ERROR;
    return update_and_write_commands(time, period);
  }
  bool set_chained_mode(bool chained_mode) {
    if (on_set_chained_mode(chained_mode)) chained_ = chained_mode;
    return chained_ == chained_mode;
  }
  std::vector<hardware_interface::CommandInterface::SharedPtr> export_reference_interfaces() {
#if defined(STUB_LISTS)
    auto made = on_export_reference_interfaces_list();
#else
    std::vector<hardware_interface::CommandInterface::SharedPtr> made;
    for (auto& each : on_export_reference_interfaces())
      made.push_back(std::make_shared<hardware_interface::CommandInterface>(std::move(each)));
    if (made.size() != reference_interfaces_.size()) throw std::runtime_error("other sizes");
#endif
    for (const auto& each : made)
      if (each->get_prefix_name() != get_node()->get_name()) throw std::runtime_error("prefix");
    return made;
  }

 protected:
#if defined(STUB_LISTS)
  virtual std::vector<hardware_interface::CommandInterface::SharedPtr>
  on_export_reference_interfaces_list() = 0;
#else
  virtual std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() {
    return {};
  }
  std::vector<double> reference_interfaces_;
#endif
  virtual bool on_set_chained_mode(bool) { return true; }
  virtual return_type update_reference_from_subscribers(const rclcpp::Time& time,
                                                        const rclcpp::Duration& period) = 0;
  virtual return_type update_and_write_commands(const rclcpp::Time& time,
                                                const rclcpp::Duration& period) = 0;

 private:
  bool chained_ = false;
};

}  // namespace controller_interface

#if defined(STUB_SOLVER)
#include <Eigen/Core>

namespace inverse_dynamics_solver {
using rclcpp::exceptions::InvalidParameterValueException;
class UninitializedException : public std::runtime_error {
 public:
  UninitializedException() : std::runtime_error("Solver is not initialized") {}
};
class InverseDynamicsSolver {
 public:
  virtual ~InverseDynamicsSolver() {}
  virtual void initialize(
      rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters_interface = nullptr,
      const std::string& param_namespace = "", const std::string& robot_description = "") = 0;
  virtual Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd& joint_positions) const = 0;
  virtual Eigen::VectorXd getCoriolisVector(const Eigen::VectorXd& joint_positions,
                                            const Eigen::VectorXd& joint_velocities) const = 0;
  virtual Eigen::VectorXd getGravityVector(const Eigen::VectorXd& joint_positions) const = 0;
  virtual Eigen::VectorXd getFrictionVector(const Eigen::VectorXd& joint_velocities) const = 0;
  virtual Eigen::VectorXd getTorques(const Eigen::VectorXd& joint_positions,
                                     const Eigen::VectorXd& joint_velocities,
                                     const Eigen::VectorXd& joint_accelerations) const {
    return getInertiaMatrix(joint_positions) * joint_accelerations +
           getCoriolisVector(joint_positions, joint_velocities) +
           getGravityVector(joint_positions);
  }

 protected:
  InverseDynamicsSolver() {}
};
}  // namespace inverse_dynamics_solver
#endif
