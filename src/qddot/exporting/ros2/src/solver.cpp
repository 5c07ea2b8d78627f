/// A plugin of inverse_dynamics_solver: this arm's own functions behind the interface of the
/// University of Salerno (https://github.com/unisa-acg/inverse-dynamics-solver).

#include <inverse_dynamics_solver/exceptions.hpp>
#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include <pluginlib/class_list_macros.hpp>

#include <stdexcept>
#include <string>

#include "@package@/model.hpp"

namespace @package@ {

using Vector = Eigen::VectorXd;

/// What holds the springs of the model counts as gravity: both are what a still arm needs.
class InverseDynamics : public inverse_dynamics_solver::InverseDynamicsSolver {
 public:
  void initialize(
      rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters_interface = nullptr,
      const std::string& param_namespace = "", const std::string& robot_description = "") override {
    std::string prefix;
    const std::string name = param_namespace.empty() ? "prefix" : param_namespace + ".prefix";
    if (parameters_interface && parameters_interface->has_parameter(name)) {
      rclcpp::Parameter found;
      parameters_interface->get_parameter(name, found);
      prefix = found.as_string();
    }
    if (!robot_description.empty()) {
      for (const auto joint : JOINT_NAMES_IN_XML) {
        const std::string own = prefix + std::string(joint);
        if (robot_description.find('"' + own + '"') == std::string::npos &&
            robot_description.find('\'' + own + '\'') == std::string::npos)
          throw inverse_dynamics_solver::InvalidParameterValueException(
              "robot_description has no joint '" + own + "': it is of another robot.");
      }
    }
    ready_ = true;
  }

  Eigen::MatrixXd getInertiaMatrix(const Vector& joint_positions) const override {
    check(joint_positions);
    Eigen::Matrix<double, int(JOINTS), int(JOINTS), Eigen::RowMajor> M;
    model::mass_matrix<double>(joint_positions.data(), M.data());
    return M;
  }

  Vector getCoriolisVector(const Vector& joint_positions,
                           const Vector& joint_velocities) const override {
    check(joint_positions);
    check(joint_velocities);
    Vector found(JOINTS);
    model::velocity_torque<double>(joint_positions.data(), joint_velocities.data(), found.data());
    return found;
  }

  Vector getGravityVector(const Vector& joint_positions) const override {
    check(joint_positions);
    Vector found(JOINTS);
    model::holding_torque<double>(joint_positions.data(), found.data());
    return found;
  }

  Vector getFrictionVector(const Vector& joint_velocities) const override {
    check(joint_velocities);
    Vector found(JOINTS);
    model::resisting_torque<double>(joint_velocities.data(), found.data());
    return found;
  }

 private:
  void check(const Vector& x) const {
    if (!ready_) throw inverse_dynamics_solver::UninitializedException();
    if (x.size() != Eigen::Index(JOINTS))
      throw std::invalid_argument("a vector has " + std::to_string(x.size()) + " numbers; the arm has " +
                                  std::to_string(JOINTS) + " joints");
  }

  bool ready_ = false;
};

}  // namespace @package@

PLUGINLIB_EXPORT_CLASS(@package@::InverseDynamics, inverse_dynamics_solver::InverseDynamicsSolver)
