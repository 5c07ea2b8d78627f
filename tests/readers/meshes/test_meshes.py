"""Meshes in files: one box in five formats, and files that mean harm."""

import base64
import json
import struct

import numpy as np
import pytest
from faults import not_installed, workers_run
from refused import refusals

from qddot.errors import BadFile, MissingExtra
from qddot.readers.meshes import MeshWorker, read_mesh

POINTS = np.array([[x, y, z] for x in (0.0, 1) for y in (0.0, 2) for z in (0.0, 3)])
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = np.array([t for p, q, r, s in SIDES for t in ((p, q, r), (p, r, s))])
RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def stl(points=POINTS, faces=FACES):
    rows = [struct.pack("<12fH", 0, 0, 0, *points[t].ravel(), 0) for t in faces]
    return bytes(80) + struct.pack("<I", len(rows)) + b"".join(rows)


def obj(more=""):
    lines = [f"v {x} {y} {z} 0.5 0.5 0.5" for x, y, z in POINTS]
    first = [f"f {' '.join(f'{i + 1}/2/3' for i in side)}" for side in SIDES[:3]]
    rest = [f"f {' '.join(f'{i - 8}//1' for i in side)}" for side in SIDES[3:]]
    text = ["# a box", "mtllib box.mtl", *lines, "usemtl red", *first, "usemtl b", *rest, more]
    return "\n".join(text).encode()


MTL = "newmtl red\nKd 1 0 0\nmap_Kd /etc/passwd\nnewmtl b\nKd 0 0 1\n"


def dae(polygons=None, nodes="", more="", up="Z_UP", head=""):
    words = " ".join(str(x) for x in POINTS.ravel())
    if polygons is None:
        p = " ".join(f"{i} 0" for side in SIDES for i in side)
        polygons = f"""<polylist material="skin" count="6">
        <input semantic="VERTEX" source="#v" offset="0"/>
        <input semantic="NORMAL" source="#n" offset="1"/>
        <vcount>4 4 4 4 4 4</vcount><p>{p}</p></polylist>"""
    nodes = (
        nodes
        or """<node><translate>1 0 0</translate><rotate>0 0 1 90</rotate>
      <scale>2 2 2</scale><node><instance_geometry url="#box"><bind_material><technique_common>
      <instance_material symbol="skin" target="#red"/></technique_common></bind_material>
      </instance_geometry></node></node>"""
    )
    return f"""<?xml version="1.0"?>{head}
    <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
    <asset><unit name="mm" meter="0.001"/><up_axis>{up}</up_axis></asset>
    <library_images><image id="i"><init_from>/etc/passwd</init_from></image></library_images>
    <library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong><diffuse>
    <color sid="c">1 0 0 1</color></diffuse></phong></technique></profile_COMMON></effect>
    </library_effects>
    <library_materials><material id="red"><instance_effect url="#e"/></material></library_materials>
    <library_geometries><geometry id="box"><mesh><source id="s"><float_array id="a" count="24">
    {words}</float_array><technique_common><accessor source="#a" count="8" stride="3"/>
    </technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
    {polygons}</mesh></geometry></library_geometries>{more}
    <library_visual_scenes><visual_scene id="scene">{nodes}</visual_scene></library_visual_scenes>
    <scene><instance_visual_scene url="#scene"/></scene></COLLADA>""".encode()


def gltf(change=lambda document: None, binary=True, uri=None):
    numbers = POINTS.astype("<f4").tobytes() + FACES.astype("<u2").tobytes()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"children": [1], "translation": [1, 0, 0]},
            {"mesh": 0, "rotation": [0, 0, 0.5**0.5, 0.5**0.5], "scale": [2, 2, 2]},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}],
        "images": [{"uri": "/etc/passwd"}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 96},
            {"buffer": 0, "byteOffset": 96, "byteLength": 72},
        ],
        "buffers": [{"byteLength": 168}],
    }
    if not binary:
        coded = "data:application/octet-stream;base64," + base64.b64encode(numbers).decode()
        document["buffers"][0]["uri"] = uri or coded
    change(document)
    text = json.dumps(document).encode()
    if not binary:
        return text
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    body += struct.pack("<II", len(numbers), 0x004E4942) + numbers
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


WORKER = MeshWorker()  # one for all files: its packages take half a second to import


@pytest.fixture(scope="module", autouse=True)
def worker_ends_with_its_module():
    yield
    WORKER.end()


def read(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    return read_mesh(path, WORKER)


def same_surface(mesh, corners):
    """Assert that two surfaces have the same triangles, whatever their order."""
    ours, theirs = (np.round(each.mean(axis=1), 6) for each in (mesh.corners, corners))
    assert sorted(map(tuple, ours)) == sorted(map(tuple, theirs))
    volumes = [np.linalg.det(each).sum() / 6 for each in (mesh.corners, corners)]
    assert volumes[0] == pytest.approx(volumes[1])


MOVED = np.array([[0, -2, 0], [2, 0, 0], [0, 0, 2.0]])  # twice as large, turned about z by 90°


def test_every_format_has_the_same_box(tmp_path):
    plain, moved = POINTS[FACES], POINTS[FACES] @ MOVED.T + (1, 0, 0)
    same_surface(read(tmp_path, "box.stl", stl()), plain)
    (tmp_path / "box.mtl").write_text(MTL)
    same_surface(read(tmp_path, "box.OBJ", obj()), plain)
    for up in ("Z_UP", "Y_UP"):
        same_surface(read(tmp_path, "box.dae", dae(up=up)), moved * 0.001)
    same_surface(read(tmp_path, "box.glb", gltf()), moved)
    same_surface(read(tmp_path, "box.gltf", gltf(binary=False)), moved)
    for name in ("box.stl", "box.OBJ", "box.dae", "box.glb"):
        assert len(read_mesh(tmp_path / name).points) == 8


def test_colours_are_those_of_the_materials(tmp_path):
    (tmp_path / "box.mtl").write_text(MTL)
    colours = read(tmp_path, "box.obj", obj()).colours
    assert {tuple(each) for each in colours[:6]} == {RED}
    assert {tuple(each) for each in colours[6:]} == {BLUE}
    (tmp_path / "box.mtl").unlink()
    assert read_mesh(tmp_path / "box.obj").colours is None
    for name, data in (("box.dae", dae()), ("box.glb", gltf())):
        assert {tuple(each) for each in read(tmp_path, name, data).colours} == {RED}
    assert read(tmp_path, "box.stl", stl()).colours is None


def test_materials_and_buffers_come_from_the_folder_alone(tmp_path):
    outside = tmp_path / "secret"
    outside.write_bytes(POINTS.astype("<f4").tobytes() + FACES.astype("<u2").tobytes())
    folder = tmp_path / "meshes"
    folder.mkdir()
    (folder / "buffer.bin").write_bytes(outside.read_bytes())
    assert len(read(folder, "b.gltf", gltf(binary=False, uri="buffer.bin")).triangles) == 12
    (folder / "link.bin").symlink_to(outside)
    for uri in ("../secret", str(outside), f"file://{outside}", "%2e%2e/secret", "link.bin"):
        with pytest.raises(BadFile, match=r"its buffer '.*' (is outside|does not exist)"):
            read(folder, "b.gltf", gltf(binary=False, uri=uri))
    (tmp_path / "box.mtl").write_text(MTL)
    text = obj().replace(b"mtllib box.mtl", b"mtllib ../box.mtl")
    assert read(folder, "b.obj", text).colours is None


@pytest.mark.parametrize(
    ("tag", "inside", "count"),
    [
        ("triangles", "<p>0 1 3 0 3 2 0 4 5</p>", 3),
        ("polygons", "<p>0 1 3 2</p><ph><p>4 6 7 5</p><h>0 1 3</h></ph>", 4),
        ("tristrips", "<p>0 1 3 2 4</p><p>0 1 3</p>", 4),
        ("trifans", "<p>0 1 3 2</p>", 2),
        ("lines", "<p>0 1</p>", None),
    ],
)
def test_the_polygons_of_collada(tmp_path, tag, inside, count):
    piece = f'<{tag}><input semantic="VERTEX" source="#v" offset="0"/>{inside}</{tag}>'
    if count is None:
        with pytest.raises(BadFile, match="it has no triangles"):
            read(tmp_path, "a.dae", dae(piece))
    else:
        assert len(read(tmp_path, "a.dae", dae(piece)).triangles) == count


# files that mean harm


def doubled(depth):
    """Return nodes of COLLADA that stand for 2^depth boxes."""
    inner = '<instance_node url="#n{0}"/><instance_node url="#n{0}"/>'
    nodes = "".join(f'<node id="n{k}">{inner.format(k + 1)}</node>' for k in range(depth))
    leaf = f'<node id="n{depth}"><instance_geometry url="#box"/></node>'
    return f"<library_nodes>{nodes}{leaf}</library_nodes>"


def put(*way, value):
    """Return a change of a document: a value at the end of a way of keys."""

    def change(document):
        for key in way[:-1]:
            document = document[key]
        document[way[-1]] = value

    return change


def spoilt(row):
    """Return the bytes of a row of refusals/meshes.toml."""
    if "text" in row:
        return row["text"].encode()
    if "more" in row:
        return obj(row["more"])
    if "polylist" in row:
        return dae(P.format(row["polylist"]))
    if "at" in row:
        return gltf(put(*row["at"], value=row["value"]))
    return dae().replace(row["old"].encode(), row["new"].encode(), 1)


ROWS = refusals("meshes")
LOOP = '<node id="n"><instance_node url="#n"/></node>'
P = '<polylist><input semantic="VERTEX" source="#v" offset="0"/>{}</polylist>'
CHAIN = (
    "".join(f'<node id="n{k}"><instance_node url="#n{k + 1}"/></node>' for k in range(200))
    + '<node id="n200"/>'
)
GHOST = {"bufferView": None, "componentType": 5126, "count": 10**9, "type": "VEC3"}
PIECE = [{"attributes": {"POSITION": 0}}]
BAD = {name: (row["file"], spoilt(row), row.get("words")) for name, row in ROWS.items()} | {
    "STL that lies": ("a.stl", bytes(80) + b"\xff" * 4 + bytes(50), "4294967295 triangles"),
    "STL of NaN": ("a.stl", stl(POINTS * np.nan), "a corner that is no number"),
    "STL beyond reason": ("a.stl", stl(POINTS * 1e20), "out of all proportion"),
    "an entity": ("a.dae", dae(head='<!DOCTYPE a [<!ENTITY x "y">]>'), "declares a DTD"),
    "a DAE cut off": ("a.dae", dae()[:900], "it ends inside"),
    "boxes without end": (
        "a.dae",
        dae(nodes='<instance_node url="#n0"/>', more=doubled(40)),
        "no triangles|too much time or memory",
    ),
    "a node in itself": ("a.dae", dae(nodes=LOOP), r"no valid \.dae file|no triangles"),
    "a name that is not there": (
        "a.dae",
        dae(nodes='<node><instance_geometry url="file:///etc/passwd"/></node>'),
        r"no valid \.dae file|no triangles",
    ),
    "JSON without end": ("a.gltf", b"[" * 100_000, "it is not JSON"),
    "a GLB cut off": ("a.glb", gltf()[:-1], "it is cut off"),
    "a GLB of nothing": ("a.glb", b"glTF" + bytes(8), "no JSON chunk"),
    "an offset below zero": (
        "a.dae",
        dae(P.format("<vcount>3</vcount><p>0 1 2</p>").replace('offset="0"', 'offset="-1"')),
        "point that is not there",
    ),
    "a deep tree": (
        "a.glb",
        gltf(put("nodes", value=[*({"children": [k + 1]} for k in range(5000)), {"mesh": 0}])),
        None,
    ),
    "many pieces": (
        "a.glb",
        gltf(lambda document: document["meshes"][0].update(primitives=PIECE * 30_000)),
        r"no valid \.gltf file",
    ),
    "a chain of names": (
        "a.dae",
        dae(nodes='<instance_node url="#n0"/>', more=f"<library_nodes>{CHAIN}</library_nodes>"),
        r"no valid \.dae file|no triangles",
    ),
    "a zip": ("a.dae", b"PK\3\4" + bytes(200), "binary file"),
    "a claim without numbers": (
        "a.glb",
        gltf(put("accessors", 0, value=GHOST)),
        r"no valid \.gltf file",
    ),
    "a matrix of NaN in glTF": (
        "a.glb",
        gltf(put("nodes", 1, "matrix", value=[float("nan")] * 16)),
        "it is not JSON",
    ),
    "no base64": ("a.gltf", gltf(binary=False, uri="data:;base64,***"), "is no base64"),
}


@pytest.mark.parametrize(("name", "data", "words"), BAD.values(), ids=BAD)
def test_a_bad_file_is_refused_in_words(tmp_path, name, data, words):
    if words is None:
        mesh = read(tmp_path, name, data)
        assert np.isfinite(mesh.corners).all()
        return
    with pytest.raises(BadFile, match=words):
        read(tmp_path, name, data)


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    with (tmp_path / "a.stl").open("wb") as file:
        file.truncate(200_000_000)  # nothing of it is on the disk
    with pytest.raises(BadFile, match="larger than 100 MB"):
        read_mesh(tmp_path / "a.stl")


@pytest.mark.parametrize("name", ["a.stl", "a.obj", "a.dae", "a.gltf", "a.glb"])
def test_broken_files_end_in_words(tmp_path, name):
    """Cut, doubled and overwritten at random: a surface of finite numbers, or a BadFile."""
    whole = {"stl": stl(), "obj": obj(), "dae": dae(), "gltf": gltf(binary=False), "glb": gltf()}
    data = whole[name[2:]]
    rng = np.random.default_rng(0)
    for _ in range(60):
        broken = bytearray(data)
        for at in rng.integers(0, len(data), rng.integers(1, 4)):
            broken[at : at + rng.integers(0, 9)] = rng.bytes(rng.integers(0, 9))
        try:
            mesh = read(tmp_path, name, bytes(broken) or b"x")
        except BadFile:
            continue
        assert np.isfinite(mesh.corners).all()


def test_what_pycollada_would_take_for_something_else(tmp_path):
    plain = read(tmp_path, "a.dae", dae())
    scene = b'<scene><instance_visual_scene url="#scene"/></scene>'
    assert scene in dae()
    for change in (
        (scene, b""),  # the first one then
        (b"0 0 1 90</rotate>", b"0 0 7 90</rotate>"),  # an axis of any length
        (b"<diffuse>", b"<emission><texture texture='i'/></emission><diffuse>"),
        (b"<asset>", b"<asset><created>yesterday</created>"),
    ):
        mesh = read(tmp_path, "a.dae", dae().replace(*change))
        np.testing.assert_allclose(mesh.corners, plain.corners, rtol=0, atol=1e-9)
        np.testing.assert_array_equal(mesh.colours, plain.colours)


@pytest.mark.parametrize("first", ["0 1 -1", "0 1 4294967297", f"{'1   ' * 5000}x"])
def test_every_list_of_indices_is_looked_at(tmp_path, first):
    """Not the last one alone, and in no time that grows with what is between the words."""
    inside = f'<input semantic="VERTEX" source="#v" offset="0"/><p>{first}</p><p>0 1 2</p>'
    with pytest.raises(BadFile, match="point that is not there"):
        read(tmp_path, "a.dae", dae(f"<tristrips>{inside}</tristrips>"))


def test_without_the_packages_the_command_that_installs_them_is_named(tmp_path, monkeypatch):
    not_installed(monkeypatch, "trimesh", "collada")
    for name, data in (("a.dae", dae()), ("a.glb", gltf())):
        with pytest.raises(MissingExtra, match=rf"{name} needs trimesh(.|\n)*qddot\[meshes]"):
            read(tmp_path, name, data)
    assert len(read(tmp_path, "a.stl", stl()).triangles) == 12
    with pytest.raises(BadFile, match="declares a DTD"):
        read(tmp_path, "a.dae", dae(head='<!DOCTYPE a [<!ENTITY x "y">]>'))


def test_a_process_that_ends_over_a_file_is_replaced(tmp_path, monkeypatch):
    with MeshWorker() as worker:
        (tmp_path / "a.dae").write_bytes(dae())
        assert len(read_mesh(tmp_path / "a.dae", worker).triangles) == 12
        worker.worker.kill()
        with pytest.raises(BadFile, match="takes too much time or memory"):
            read_mesh(tmp_path / "a.dae", worker)
        assert len(read_mesh(tmp_path / "a.dae", worker).triangles) == 12
        (tmp_path / "b.dae").write_bytes(dae(P.format("<vcount>3</vcount><p>0 1 8</p>")))
        with pytest.raises(BadFile):
            read_mesh(tmp_path / "b.dae", worker)
        assert len(read_mesh(tmp_path / "a.dae", worker).triangles) == 12
    workers_run(monkeypatch, "false")
    with pytest.raises(BadFile, match="takes too much time or memory"):
        read_mesh(tmp_path / "a.dae")
