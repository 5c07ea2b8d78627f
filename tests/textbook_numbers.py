"""What the textbook arms give at the lecture decks' reference states, derived independently."""

import numpy as np

TEN_DECIMALS = 1e-9  # as the decks print them
SEVEN_DECIMALS = 1e-7

Q, QD, QDD = np.array([0.3, 0.7]), np.array([0.5, -0.2]), np.array([1.0, 2.0])

# state, M, velocity torque c, gravity torque g, and M q̈ + c + g
NUMBERS = {
    "two_link_point": (
        (Q, QD, QDD),
        [[4.5296843746, 1.7648421873], [1.7648421873, 1]],
        (0.10307483, 0.1610544218),
        (24.0440675372, 5.3003656206),
        (32.2065111163, 9.2262622297),
    ),
    "rp": (
        (np.array([0.4, 0.9]), np.array([0.7, -0.3]), np.array([1.1, 0.6])),
        [[2.54, 0], [0, 2]],
        (-0.756, -0.882),
        (29.8175075589, 7.6403878761),
        (31.8555075589, 7.9583878761),
    ),
    "two_link_cylinders": (
        (Q, QD, QDD),
        [[2.436508854, 0.718254427], [0.718254427, 0.3358333333]],
        (0.051537415, 0.0805272109),
        (16.7079592478, 2.6501828103),
        (20.6325143706, 4.1206311148),
    ),
    "two_link": (
        (Q, QD, QDD),
        [[133.2421093642, 41.6210546821], [41.6210546821, 22.5]],
        (2.576870749, 4.0263605452),
        (835.3979623883, 132.5091405142),
        (1054.4590518657, 223.1565557415),  # 15 and −6 less than with D = 30
    ),
}
