/// A controller manager of a few lines: it does what its input says, a word and numbers per line,
/// with the controller that is linked to it, and counts what `update` allocates.

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <sstream>

#include "ros2_stubs.hpp"

static bool counting = false;
static long allocations = 0;

[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations += counting;
  if (void* place = std::malloc(size)) return place;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept { std::free(place); }

using controller_interface::CallbackReturn;
using Base = controller_interface::ChainableControllerInterface;

namespace {

template <class T>
std::vector<T> rest(std::istream& words) {
  std::vector<T> found;
  for (std::string word; words >> word;) {
    if constexpr (std::is_same_v<T, double>)
      found.push_back(std::strtod(word.c_str(), nullptr));
    else
      found.push_back(word);
  }
  return found;
}

std::unique_ptr<Base> controller;
std::vector<std::shared_ptr<hardware_interface::StateInterface>> states;
std::vector<std::shared_ptr<hardware_interface::CommandInterface>> commands, references;
std::vector<double> values(1000);  // of the hardware
std::size_t used = 0;
std::map<std::string, std::string> renamed;

template <class Interface>
std::shared_ptr<Interface> made(const std::string& name) {
  const auto found = renamed.count(name) ? renamed[name] : name;
  const auto slash = found.rfind('/');
#if defined(STUB_LISTS)
  double* const place = nullptr;
  ++used;
#else
  double* const place = &values[used++];
#endif
  return std::make_shared<Interface>(found.substr(0, slash), found.substr(slash + 1), place);
}

const char* word(CallbackReturn result) {
  return result == CallbackReturn::SUCCESS ? "well" : "refused";
}

void start(int left_out) {
  const rclcpp_lifecycle::State state;
  controller = stub::plugins<Base>.begin()->second();
  const auto begun = controller->init("arm", "", 1000, "", {});
  std::printf("init %s\n", begun == controller_interface::return_type::OK ? "well" : "refused");
  const auto configured = controller->on_configure(state);
  std::printf("configure %s\n", word(configured));
  if (configured != CallbackReturn::SUCCESS) return;
  references = controller->export_reference_interfaces();
  std::vector<hardware_interface::LoanedCommandInterface> to_command;
  std::vector<hardware_interface::LoanedStateInterface> to_read;
  states.clear();
  commands.clear();
  for (const auto& name : controller->command_interface_configuration().names)
    commands.push_back(made<hardware_interface::CommandInterface>(name));
  for (const auto& name : controller->state_interface_configuration().names)
    states.push_back(made<hardware_interface::StateInterface>(name));
  for (const auto& each : commands) {
    std::printf("command %s\n", each->get_name().c_str());
    to_command.emplace_back(each);
  }
  // handed over from the last to the first: a controller must not rely on an order
  for (auto each = states.rbegin(); each != states.rend() - left_out; ++each)
    to_read.emplace_back(*each);
  controller->assign_interfaces(std::move(to_command), std::move(to_read));
}

void update() {
  counting = true;
  const auto result = controller->update(rclcpp::Time(0), rclcpp::Duration(0, 1000000));
  counting = false;
  std::printf("%s", result == controller_interface::return_type::OK ? "OK" : "ERROR");
  for (const auto& each : commands) std::printf(" %.17g", each->get_optional().value());
  std::printf("\n");
}

void told(const std::string& verb, std::istream& words) {
  std::string name;
  if (verb == "numbers") {
    words >> name;
    stub::overrides[name] = rclcpp::Parameter(rest<double>(words));
  } else if (verb == "number") {
    words >> name;
    stub::overrides[name] = rclcpp::Parameter(rest<double>(words).front());
  } else if (verb == "text") {
    std::string value;
    words >> name >> value;
    stub::overrides[name] = rclcpp::Parameter(value);
  } else if (verb == "texts") {
    words >> name;
    stub::overrides[name] = rclcpp::Parameter(rest<std::string>(words));
  } else if (verb == "rename") {
    std::string other;
    words >> name >> other;
    renamed[name] = other;
  } else if (verb == "start") {
    int left_out = 0;
    words >> left_out;
    start(left_out);
  } else if (verb == "activate") {
    std::printf("activate %s\n", word(controller->on_activate(rclcpp_lifecycle::State())));
  } else if (verb == "deactivate") {
    std::printf("deactivate %s", word(controller->on_deactivate(rclcpp_lifecycle::State())));
    for (const auto& each : commands) std::printf(" %.17g", each->get_optional().value());
    std::printf("\n");
  } else if (verb == "chained") {
    controller->set_chained_mode(true);
  } else if (verb == "state") {
    const auto x = rest<double>(words);
    for (std::size_t i = 0; i < x.size(); ++i) static_cast<void>(states[i]->set_value(x[i]));
  } else if (verb == "reference") {
    const auto x = rest<double>(words);
    for (std::size_t i = 0; i < x.size(); ++i) static_cast<void>(references[i]->set_value(x[i]));
  } else if (verb == "message") {  // names, then as many positions, velocities, accelerations
    std::size_t count = 0;
    words >> count;
    trajectory_msgs::msg::JointTrajectory message;
    message.joint_names.resize(count);
    for (auto& each : message.joint_names) words >> each;
    const auto x = rest<double>(words);
    message.points.resize(1);
    auto& point = message.points.front();
    std::vector<double>* parts[] = {&point.positions, &point.velocities, &point.accelerations};
    for (std::size_t i = 0; i < x.size(); ++i) parts[i / count]->push_back(x[i]);
    stub::topics.at("~/reference")(message);
  } else if (verb == "update") {
    update();
  } else {
    std::printf("what is %s?\n", verb.c_str());
    std::exit(1);
  }
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    told(verb, words);
  }
  for (const auto& each : references) std::printf("reference %s\n", each->get_name().c_str());
  std::printf("allocations %ld\n%s", allocations, stub::said.c_str());
}
