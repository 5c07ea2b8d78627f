"""A small arm in URDF, and every slip of the pen that one can make in it."""

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/>
    </inertial>
    <visual><geometry><mesh filename="package://arm/upper.stl"/></geometry></visual>
  </link>
  <link name="lower">
    <inertial>
      <mass value="1"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.3" rpy="0 1.5 0"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/>
  </joint>
  <joint name="elbow" type="prismatic">
    <parent link="upper"/>
    <child link="lower"/>
    <axis xyz="0 1 0"/>
    <limit lower="0" upper="1" effort="10" velocity="3"/>
  </joint>
</robot>
"""

# what is replaced in ARM, by what, the text in whose line the problem is, and words of the message
SLIPS = {
    "cycle": ('<parent link="base"/>', '<parent link="lower"/>', '<link name="upper">',
        "robot: its links form a cycle ('upper', 'lower')", "Reverse or remove one joint"),
    "two roots": ('<link name="base"/>', '<link name="base"/><link name="stray"/>', "stray",
        "link 'stray': it is not connected to the base 'base'", "Add a joint"),
    "two parents": ('<parent link="upper"/>\n    <child link="lower"/>',
        '<parent link="base"/>\n    <child link="upper"/>', 'name="elbow"',
        "link 'upper': it is the child of 2 joints ('shoulder', 'elbow')", "A robot is a tree"),
    "own parent": ('<parent link="upper"/>', '<parent link="lower"/>', 'name="elbow"',
        "joint 'elbow': its parent and its child are the same link", "Name two different"),
    "link without a name": ('<link name="upper">', "<link>", "<link>",
        "a link: it has no name", "Give it one"),
    "joint without a name": (' name="elbow"', "", '<joint type="prismatic">',
        "a joint: it has no name", "Give it one"),
    "joint without a type": (' type="prismatic"', "", 'name="elbow"',
        "joint 'elbow': <joint> has no type", 'Add it: <joint type="...">'),
    "joint without a parent": ('<parent link="upper"/>', "", 'name="elbow"',
        "joint 'elbow': it has no parent", "Name its parent link"),
    "joint without a child": ('<child link="lower"/>', "", 'name="elbow"',
        "joint 'elbow': it has no child", "Name its child link"),
    "two links of one name": ('<link name="lower">', '<link name="upper">', "",
        "link 'upper': the name is used twice (first at line 4)", "Rename one of the two"),
    "two joints of one name": ('name="elbow"', 'name="shoulder"', "",
        "joint 'shoulder': the name is used twice (first at line 18)", "Rename one of the two"),
    "unknown link": ('<child link="lower"/>', '<child link="lowr"/>', 'name="elbow"',
        "joint 'elbow': its child link 'lowr' does not exist", "Did you mean 'lower'?"),
    "capitalised type": ('"revolute"', '"Revolute"', '"Revolute"',
        "joint 'shoulder': unknown joint type 'Revolute'", "Did you mean 'revolute'?"),
    "unknown type": ('"revolute"', '"hinge"', '"hinge"',
        "joint 'shoulder': unknown joint type 'hinge'", "Types: revolute, continuous"),
    "floating": ('"revolute"', '"floating"', '"floating"',
        "joint 'shoulder': a floating joint is not one degree of freedom", "Fix the base"),
    "planar": ('"revolute"', '"planar"', '"planar"',
        "joint 'shoulder': a planar joint", "two prismatic joints and a revolute one"),
    "ball": ('"revolute"', '"Ball"', '"Ball"',
        "joint 'shoulder': a ball joint", "Replace it by three revolute joints"),
    "spherical": ('"revolute"', '"spherical"', '"spherical"',
        "joint 'shoulder': a spherical joint", "Replace it by three revolute joints"),
    "decimal comma": ('xyz="0.1 0 0"', 'xyz="0,1 0 0"', '"0,1 0 0"',
        "link 'upper': <origin> xyz: '0,1' is not a number", "Decimal comma; write 0.1"),
    "commas between": ('xyz="0.1 0 0"', 'xyz="0.1, 0, 0"', '"0.1, 0, 0"',
        "<origin> xyz: '0.1, 0, 0' has commas", 'by spaces: xyz="0.1 0 0"'),
    "two numbers": ('xyz="0 0 1"', 'xyz="0 1"', 'xyz="0 1"/>',
        "joint 'shoulder': <axis> xyz: '0 1' is 2 numbers", "Give 3 numbers"),
    "four numbers": ('xyz="0 0 1"', 'xyz="0 0 0 1"', 'xyz="0 0 0 1"/>',
        "'0 0 0 1' is more than 3 numbers", "Give 3 numbers"),
    "digit separators": ('value="2"', 'value="1_000"', "1_000",
        "link 'upper': <mass> value: '1_000' is not a number", "write 1000"),
    "hexadecimal": ('value="2"', 'value="0x10"', "0x10",
        "link 'upper': <mass> value: '0x10' is not a number", "Hexadecimal is not allowed"),
    "not a number": ('value="2"', 'value="NaN"', "NaN",
        "link 'upper': <mass> value: 'NaN' is not a number", "not a finite number"),
    "infinity": ('upper="2"', 'upper="inf"', '"inf"',
        "joint 'shoulder': <limit> upper: 'inf' is not a number", "not a finite number"),
    "too large": ('value="2"', 'value="1e999"', "1e999",
        "link 'upper': <mass> value: '1e999' is not a number", "too large"),
    "words": ('value="2"', 'value="two"', '"two"',
        "link 'upper': <mass> value: 'two' is not a number", "decimal with a point"),
    "foreign digits": ('value="2"', 'value="٣"', "٣",
        "link 'upper': <mass> value: '٣' is not a number", "decimal with a point"),
    "nothing": ('value="2"', 'value=""', 'value=""',
        "link 'upper': <mass> value: '' is not a number", "It is empty"),
    "code": ('value="2"', 'value="__import__(\'os\').abort()"', "abort",
        "link 'upper': <mass> value: ", "digit separators are not allowed|decimal with a point"),
    "xacro expression": ('value="2"', 'value="${m}"', "${m}",
        "<mass> value: '${m}' is a xacro expression", "Name the file .xacro"),
    "xacro instruction": ('<link name="base"/>', '<link name="base"/>\n<xacro:arm side="left"/>',
        "<xacro:arm", "<xacro:arm> is an instruction to xacro", "Name the file .xacro"),
    "zero axis": ('xyz="0 0 1"', 'xyz="0 0 0"', 'name="shoulder"',
        "joint 'shoulder': its axis is zero", "Give a direction"),
    "reversed limits": ('lower="-1" upper="2"', 'lower="2" upper="-1"', 'name="shoulder"',
        "joint 'shoulder': its limits are reversed (lower 2 > upper -1)", "Swap them"),
    "negative velocity": ('velocity="3"/>\n  </joint>\n  <joint', 'velocity="-3"/></joint><joint',
        'name="shoulder"', "joint 'shoulder': its velocity limit is negative (-3)", "its size"),
    "negative mass": ('value="2"', 'value="-2"', '<link name="upper">',
        "link 'upper': the mass is negative (-2 kg)", "Give a positive mass"),
    "impossible inertia": ('ixx="0.01" ixy="0" ixz="0" iyy="0.02"',
        'ixx="0.9" ixy="0" ixz="0" iyy="0.02"', '<link name="upper">',
        "link 'upper': no body has this inertia: Ixx = 0.9 > Iyy + Izz = 0.02 + 0.02",
        "Usual causes: a decimal slip"),
    "a slip in an inertia": ('ixx="0.01" ixy="0" ixz="0" iyy="0.02"',
        'ixx="0.1" ixy="0" ixz="0" iyy="0.02"', '<link name="upper">',
        "no body has this inertia", "A decimal slip? Ixx = 0.01 (10 times smaller)"),
    "negative inertia": ('iyy="0.02"', 'iyy="-0.02"', '<link name="upper">',
        "link 'upper': a principal moment of inertia is negative (-0.02 kg·m²)", ""),
    "no mass": ('<mass value="2"/>', "", "<inertial>",
        "link 'upper': <inertial> has no <mass>", 'Add it: <mass value="...">'),
    "no mass value": ('<mass value="2"/>', "<mass/>", "<mass/>",
        "link 'upper': <mass> has no value", 'Add it: <mass value="...">'),
    "mass as text": ('<mass value="2"/>', "<mass>2</mass>", "<mass>2",
        "link 'upper': <mass> holds text ('2')", "Values are attributes"),
    "a moment missing": (' izz="0.02"', "", '<inertia ixx="0.01"',
        "link 'upper': <inertia> has no izz", "Add it"),
    "inertial twice": ("<visual>", "<inertial/><visual>", "<inertial/>",
        "link 'upper': there are 2 <inertial> elements", "Keep one of them"),
    "misspelt attribute": ('<axis xyz="0 0 1"/>', '<axis xzy="0 0 1"/>', "xzy",
        "joint 'shoulder': <axis> xzy: there is no such attribute", "Did you mean 'xyz'?"),
    "misspelt element": ("<mass", "<Mass", "<Mass",
        "link 'upper': there is no element <Mass>", "Did you mean <mass>?"),
    "unknown leader": ('<limit lower="0"', '<mimic joint="sholder"/><limit lower="0"',
        'name="elbow"', "joint 'elbow': it mimics 'sholder', which does not exist",
        "Did you mean 'shoulder'?"),
    "follows itself": ('<limit lower="0"', '<mimic joint="elbow"/><limit lower="0"',
        'name="elbow"', "joint 'elbow': it mimics itself", "must move by itself"),
    "control characters": ('name="base"', 'name="\x1b[2J"', "[2J",
        "a character that cannot stand there", "save it as UTF-8"),
    "escaped control characters": ('name="base"', 'name="&#27;[2J"', "[2J",
        "a character that XML does not allow", "without control characters"),
    "stray ampersand": ('name="arm"', 'name="a & b"', "a & b",
        "a character that cannot stand there", "& as &amp;"),
    "closing tag missing": ('<limit lower="0" upper="1" effort="10" velocity="3"/>\n  </joint>',
        "", "</robot>", "<joint>, which line 25 opens, is not closed here", "Add </joint>"),
    "attribute twice": ('value="2"', 'value="2" value="3"', 'value="3"',
        "an attribute is given twice", "Keep one of the two"),
}  # fmt: skip
