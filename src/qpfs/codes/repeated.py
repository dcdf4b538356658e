"""Adding a number many times in one step, with the rounding of single additions.

While a sum stays between two powers of two, the spacing of floating-point numbers is the same, so every
addition is rounded in the same way and the sum grows by the same amount: many of them are one exact product.
Therefore a sample with a weight changes a sum exactly as so many copies of it would, to the last bit; and the
zeros between two stored values of a sparse column are added in one step.
"""

from __future__ import annotations

import numpy as np

from qpfs.compiled import inner_part, kernel

FEW = 12  # up to so many additions are as fast one by one


@kernel
def added(total: float, step: float, times: int) -> float:
    """total + step + ... + step, rounded after each of so many additions."""
    while times > FEW:
        one = total + step
        two = one + step
        total = two + step
        times -= 3
        low, high = powers_around(two)
        if low < abs(one) < high and low < abs(total) < high and one * total > 0.0:
            # `two` was rounded at this spacing, where a tie went to even: from there all steps are equal.
            gain = total - two
            if gain == 0.0:
                return total
            room = high - abs(total) if abs(total) > abs(two) else abs(total) - low
            jump = min(np.float64(times), np.floor(room / abs(gain)) - 1.0)
            if jump > 0.0:
                total += jump * gain
                times -= int(jump)
        elif total == two:
            return total
    for _ in range(times):
        total += step
    return total


@inner_part
def powers_around(x: float) -> tuple[float, float]:
    """The powers of two around a number; 0 and 0 for a subnormal one, whose spacing is the smallest."""
    exponent = np.float64(x).view(np.int64) & np.int64(0x7FF0000000000000)
    low = np.int64(exponent).view(np.float64)
    return low, 2.0 * low
