// Reads SDF files by Gazebo's library: its complaints, then the links and joints that it sees.
#include <cstdio>
#include <sdf/sdf.hh>

int main(int count, char** files)
{
  for (int i = 1; i < count; ++i) {
    sdf::Root root;
    for (const auto& error : root.Load(files[i])) std::printf("error %s\n", error.Message().c_str());
    const sdf::Model* model = root.Model();
    if (!model) continue;
    for (std::uint64_t k = 0; k < model->LinkCount(); ++k) {
      const sdf::Link& link = *model->LinkByIndex(k);
      std::printf("link %s %.17g\n", link.Name().c_str(), link.Inertial().MassMatrix().Mass());
    }
    for (std::uint64_t k = 0; k < model->JointCount(); ++k) {
      const sdf::JointAxis* axis = model->JointByIndex(k)->Axis(0);
      if (axis) std::printf("joint %.17g %.17g\n", axis->Lower(), axis->Damping());
    }
  }
}
