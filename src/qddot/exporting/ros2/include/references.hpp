/// The references of a chainable controller, in both ways that ros2_control asks for them.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "controller_interface/chainable_controller_interface.hpp"
#include "hardware_interface/handle.hpp"

namespace @package@ {

inline constexpr double NOT_GIVEN = std::numeric_limits<double>::quiet_NaN();

/// Whether a version of ros2_control asks for shared pointers (Lyrical and later, Rolling) or for
/// interfaces by value (Jazzy, Kilted). The header itself is asked, not a version number.
template <class Base>
class Asking : public Base {
  template <class Own>
  static auto listed(int) -> decltype(&Own::on_export_reference_interfaces_list, std::true_type{});
  template <class>
  static std::false_type listed(...);

 public:
  static constexpr bool for_pointers() { return decltype(listed<Asking>(0))::value; }
};

template <class Base, bool pointers = Asking<Base>::for_pointers()>
class References;

/// Interfaces by value, on numbers that the base class holds.
template <class Base>
class References<Base, false> : public Base {
 protected:
  virtual std::vector<std::string> reference_names() const = 0;

  std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() override {
    const auto names = reference_names();
    this->reference_interfaces_.assign(names.size(), NOT_GIVEN);
    std::vector<hardware_interface::CommandInterface> made;
    made.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      made.emplace_back(std::string(this->get_node()->get_name()), names[i],
                        &this->reference_interfaces_[i]);
    return made;
  }

  std::size_t references() const noexcept { return this->reference_interfaces_.size(); }
  /// Read a reference; false, and nothing read, while another thread writes it.
  bool read_reference(std::size_t i, double& value) const {
    value = this->reference_interfaces_[i];
    return true;
  }
  void write_reference(std::size_t i, double value) { this->reference_interfaces_[i] = value; }
};

/// Interfaces that hold their number themselves.
template <class Base>
class References<Base, true> : public Base {
 protected:
  virtual std::vector<std::string> reference_names() const = 0;

  std::vector<hardware_interface::CommandInterface::SharedPtr>
  on_export_reference_interfaces_list() override {
    handles_.clear();
    for (const auto& name : reference_names()) {
      handles_.push_back(std::make_shared<hardware_interface::CommandInterface>(
          std::string(this->get_node()->get_name()), name));
      write_reference(handles_.size() - 1, NOT_GIVEN);
    }
    return handles_;
  }

  std::size_t references() const noexcept { return handles_.size(); }
  bool read_reference(std::size_t i, double& value) const {
    const auto found = handles_[i]->template get_optional<double>();
    if (found) value = *found;
    return found.has_value();
  }
  void write_reference(std::size_t i, double value) {
    static_cast<void>(handles_[i]->set_value(value));
  }

 private:
  std::vector<hardware_interface::CommandInterface::SharedPtr> handles_;
};

}  // namespace @package@
