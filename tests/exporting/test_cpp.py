"""Exported C++: it compiles without a word, checks itself, and gives what the kernels give."""

from __future__ import annotations

import ctypes
import platform
import shutil
from pathlib import Path

import numpy as np
import pytest
from exporting.compiling import (
    DO_EACH,
    SANITIZED,
    SHARED,
    assert_as_in_numpy,
    build,
    run,
    said,
    states_of_operations,
    with_gpp,
)
from exporting.test_odd_programs import ODD
from long import long
from translated import assert_same

import qddot
from qddot.control.laws import AdaptiveSlotineLi, CartesianImpedance, MomentumObserver, PDGravity
from qddot.errors import QddotError
from qddot.exporting.cpp_files import cpp_files
from qddot.program.operations import OPERATIONS

ROBOTS = ("panda", "ur5", "puma560", "rp", "two_link", "double_pendulum")
EIGEN = Path("/usr/include/eigen3")
on_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="it is about x86-64")


def built(folder, *flags, compiler="g++", source=None):
    return build(folder, *flags, compiler=compiler, sources=[source or next(folder.glob("*.cpp"))])


@with_gpp
@pytest.mark.parametrize("watched", [False, *long(True)])
def test_quantities_laws_observers_and_inverse_kinematics_agree_with_themselves(watched, tmp_path):
    """In float and in double, one state and several at once; also watched by the sanitizers."""
    robot = qddot.load("two_link").with_friction(
        viscous=2.0, coulomb=1.0, static=1.4, stribeck_velocity=0.2
    )
    functions = [
        *("forward_dynamics", "friction_torque", "jacobian:tool:local"),
        *("inverse_kinematics_all:tool", ODD["names_of_the_source_itself"]),
        AdaptiveSlotineLi(robot, lam=5.0, kd=20.0, adaptation=1.0, reference=[0.3, -0.2]),
        CartesianImpedance(robot, "tool", 100, 10, [0.3, -0.2], axes="xy"),
        MomentumObserver(PDGravity(robot, 100, 10, [0.3, -0.2]), 30.0),
    ]
    qddot.export(robot, tmp_path, target="cpp", functions=functions)
    told = said(built(tmp_path, *(SANITIZED if watched else [])))
    assert told.count("right") == 2 * len(functions) - 1  # inverse kinematics is in double alone


@with_gpp
@pytest.mark.long
@pytest.mark.parametrize("way", ["clang++", "c++20", "native", "without vectors", "387"])
@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_agrees_with_itself_however_it_is_compiled(name, way, tmp_path):
    compiler = "clang++" if way == "clang++" else "g++"
    robot = qddot.load(name)
    frame = robot.frame_names[-1]
    functions = ["inverse_dynamics", "forward_dynamics", "mass_matrix", f"all_terms:{frame}"]
    qddot.export(robot, tmp_path, target="cpp", functions=functions)
    flags = {"native": ["-march=native"], "without vectors": ["-DQDDOT_X_WITHOUT_VECTORS"]}
    if platform.machine() == "x86_64":  # rounds more finely than the type of its numbers
        flags["387"] = ["-mfpmath=387"]
    more = [flag.replace("X", name.upper()) for flag in flags.get(way, [])]
    more += ["-std=c++20"] if way == "c++20" else []
    told = said(built(tmp_path, "-O1", *more, compiler=compiler))
    assert told.count("right") == 2 * len(functions)


@with_gpp
@pytest.mark.parametrize("what", [*long(*ODD)])
def test_odd_programs_compile_without_a_word_and_agree(what, tmp_path):
    qddot.export(qddot.load("pendulum"), tmp_path, target="cpp", functions=[ODD[what]])
    said(built(tmp_path, *SANITIZED))


@with_gpp
@on_x86
def test_objects_for_different_registers_share_no_function(tmp_path):
    """The linker keeps one of each name, and lanes of another width are other numbers."""
    qddot.export(qddot.load("rp"), tmp_path, target="cpp", functions=["mass_matrix"])
    (tmp_path / "main.cpp").write_text(
        '#include "rp.hpp"\nvoid many(const double* q, double* M) '
        "{ qddot::rp::mass_matrix(9, q, M); }\n"
    )
    named = []
    for width in ("-mno-avx", "-mavx"):
        made = built(tmp_path, "-c", width, source=tmp_path / "main.cpp")
        listed = run("nm", made, check=True).stdout
        named.append({line.split()[-1] for line in listed.splitlines() if "qddot" in line})
    assert all(named)
    assert named[0].isdisjoint(named[1])


@with_gpp
@pytest.mark.parametrize(
    ("option", "words"),
    [("-ffast-math", "without -ffast-math"), *long(("-std=c++14", "needs C++17"))],
)
def test_options_that_make_wrong_numbers_are_refused(option, words, tmp_path):
    qddot.export(qddot.load("rp"), tmp_path, target="cpp", functions=["mass_matrix"])
    done = run("g++", "-std=c++17", option, "-fsyntax-only", tmp_path / "rp_check.cpp")
    assert done.returncode
    assert words in done.stderr


@with_gpp
@pytest.mark.parametrize("old", ["out[3] = ", "rows[lane * Size + i] = "])
def test_a_wrong_number_is_found_by_the_check(old, tmp_path):
    """Of one state, and of the last of several."""
    qddot.export(qddot.load("two_link"), tmp_path, target="cpp", functions=["mass_matrix"])
    header = tmp_path / "two_link.hpp"
    assert header.read_text().count(old) == 1
    header.write_text(header.read_text().replace(old, f"{old}S(1.01) * "))
    assert "WRONG" in said(built(tmp_path), 1)


CALLS = r"""
#include "rp.hpp"
#include <cstdio>
#include <vector>
namespace rp = qddot::rp;
template <class A> void print(const A& x) { for (double y : x) std::printf("%.17g\n", y); }
int main()
{
  const double given[] = {0.3, -0.7, 1.1, 0.4, 0.2, -0.5};
  const std::array<double, 2> q{given[0], given[1]};
  std::array<double, 2> tau;
  rp::inverse_dynamics(q, given + 2, given + 4, tau);  // arrays and pointers
  print(tau);
#if __cplusplus >= 202002L
  std::vector<double> rows(given, given + 6);
  std::span<double> all(rows);
  rp::inverse_dynamics(q, all.subspan<2, 2>(), all.subspan<4, 2>(), tau);
#endif
  print(tau);
#ifdef QDDOT_RP_EIGEN
  const Eigen::Vector2d x(given[0], given[1]);
  rp::Matrix<double, 6, 2> J;
  rp::jacobian_tool(x, J);
  const Eigen::Matrix<double, 6, 2> columns = J;  // as Eigen has it by itself
  for (int i = 0; i < 6; ++i) for (int j = 0; j < 2; ++j) std::printf("%.17g\n", columns(i, j));
  std::array<double, 12> plain;
  Eigen::Map<rp::Matrix<double, 6, 2>> map(plain.data());
  rp::jacobian_tool(Eigen::Map<const Eigen::Vector2d>(given), map);
  print(plain);
#endif
  std::vector<double> batch(given, given + 6), out(6);  // three states
  rp::gravity_torque(3, batch.data(), out.data());
  print(out);
}
"""


@with_gpp
@pytest.mark.skipif(not EIGEN.is_dir(), reason="Eigen is not installed")
@pytest.mark.parametrize("standard", ["c++20", *long("c++17")])
def test_arrays_spans_eigen_and_batches_give_what_the_kernels_give(standard, tmp_path):
    robot = qddot.load("rp")
    names = ["inverse_dynamics", "jacobian:tool", "gravity_torque"]
    qddot.export(robot, tmp_path, target="cpp", functions=names)
    (tmp_path / "main.cpp").write_text(CALLS)
    flags = [f"-std={standard}", "-isystem", EIGEN]
    found = np.array(said(built(tmp_path, *flags, source=tmp_path / "main.cpp")).split(), float)
    q, qd, qdd = np.array([[0.3, -0.7], [1.1, 0.4], [0.2, -0.5]])
    tau, J = robot.inverse_dynamics(q, qd, qdd), robot.jacobian(q, "tool").ravel()
    gravity = robot.gravity_torque(np.array([q, qd, qdd])).ravel()
    assert_same(found, np.concatenate([tau, tau, J, J, gravity]))


@with_gpp
def test_a_wrong_size_or_order_is_told_by_the_compiler(tmp_path):
    qddot.export(
        qddot.load("rp"), tmp_path, target="cpp", functions=["mass_matrix", "jacobian:tool"]
    )
    wrong = {
        "another number of entries": "std::array<double, 3> q{}; std::array<double, 4> M; "
        "qddot::rp::mass_matrix(q, M);",
        "no matching function": "std::array<double, 2> q{}; std::array<float, 4> M; "
        "qddot::rp::mass_matrix(q, M);",
    }
    if EIGEN.is_dir():
        wrong["matrices lie row by row"] = (
            "Eigen::Matrix<double, 6, 2> J; Eigen::Vector2d q; qddot::rp::jacobian_tool(q, J);"
        )
    text = "\n".join(f"void f{k}() {{ {code} }}" for k, code in enumerate(wrong.values()))
    (tmp_path / "main.cpp").write_text(f'#include "rp.hpp"\n{text}\n')
    flags = ["-std=c++17", "-fsyntax-only", "-isystem", EIGEN]
    done = run("g++", *flags, tmp_path / "main.cpp")
    assert done.returncode
    assert not [words for words in wrong if words not in done.stderr]


@with_gpp
@pytest.mark.parametrize("T", ["double", *long("float")])
def test_every_operation_means_what_it_does_in_numpy(T, tmp_path):
    """One at a time and in lanes."""
    states = states_of_operations(T == "float")
    for file, text in cpp_files(qddot.load("pendulum"), DO_EACH, False).items():
        (tmp_path / file).write_text(text)
    wrapped = "".join(
        f'extern "C" void {f.name}(std::size_t n, const {T}* x, {T}* y) '
        f"{{ for (std::size_t k = 0; k < n; ++k) qddot::pendulum::{f.name}(x + 3 * k, y + k);\n"
        f"  qddot::pendulum::{f.name}(n, x, y + n); }}\n"
        for f in DO_EACH
    )
    (tmp_path / "main.cpp").write_text(f'#include "pendulum.hpp"\n{wrapped}')
    library = ctypes.CDLL(str(built(tmp_path, *SHARED, source=tmp_path / "main.cpp")))
    for name in OPERATIONS:
        found = np.full((2, len(states)), np.nan, states.dtype)
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (states, found)]
        library[f"do_{name}"](ctypes.c_size_t(len(states)), *pointers)
        for way in found:
            assert_as_in_numpy(name, way, states)


def test_no_name_from_a_file_is_code_or_a_command(tmp_path):
    (tmp_path / "arm.toml").write_text(
        'name = "std"\nconvention = "standard"\n'
        '[[dh]]\nname = "j */ int x; @code \\"+system(1)+\\" ??/"\ntheta = 0\na = 1\nmass = 1\n'
    )
    robot = qddot.load(tmp_path / "arm.toml")
    exported = qddot.export(robot, tmp_path / "out", target="cpp", functions=["mass_matrix"])
    text = exported.files[0].read_text()
    assert "namespace qddot::std_ {" in text
    assert "@code" not in text
    assert text.count("*/ int") == text.count("??/") == 0
    (line,) = [line for line in text.splitlines() if "JOINT_NAMES" in line]
    assert line.count('"') == 2
    if shutil.which("g++"):
        built(tmp_path / "out", "-fsyntax-only")


def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch):
    from qddot import saving

    written, real = [], saving._written_beside

    def full(target, *content):
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        written.append(real(target, *content))
        return written[-1]

    monkeypatch.setattr(saving, "_written_beside", full)
    with pytest.raises(QddotError, match="No space left"):
        qddot.export("rp", tmp_path / "b", target="cpp", functions=["mass_matrix"])
    assert len(written) == 2
    assert not (tmp_path / "b").exists()


USED = """cmake_minimum_required(VERSION 3.14)
project(used CXX)
find_package(qddot_rp 1.0 REQUIRED)
add_executable(used main.cpp)
target_link_libraries(used PRIVATE qddot::rp)
"""


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("cmake"), reason="cmake is not installed")
@with_gpp
def test_cmake_checks_it_and_finds_it_where_it_is_installed(tmp_path):
    qddot.export("rp", tmp_path / "rp", target="cpp", functions=["mass_matrix"])
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "CMakeLists.txt").write_text(USED)
    (tmp_path / "used" / "main.cpp").write_text(
        "#include <rp.hpp>\nint main() { double q[2] = {}, M[4]; qddot::rp::mass_matrix(q, M); "
        "return M[0] > 0 ? 0 : 1; }\n"
    )
    for command in (
        f"cmake -S rp -B build -DCMAKE_INSTALL_PREFIX={tmp_path / 'there'}",
        "cmake --build build",
        "ctest --test-dir build",
        "cmake --install build",
        f"cmake -S used -B other -DCMAKE_PREFIX_PATH={tmp_path / 'there'}",
        "cmake --build other",
        "other/used",
    ):
        done = run(*command.split(), cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
