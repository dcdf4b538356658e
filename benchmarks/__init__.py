"""What the library must show, measured against plain alternatives on the same machine in the same run.

`python -m benchmarks` runs every part, `python -m benchmarks NAME ...` some, `--list` names them.
"""
