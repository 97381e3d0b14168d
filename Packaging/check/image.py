#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the last stage of a Containerfile as variables of a shell:  image.py CONTAINERFILE"""
import json
import re
import shlex
import sys
from pathlib import Path


def main():
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    stage = re.split(r"^FROM ", text, flags=re.M)[-1]
    stage = re.sub(r"^#.*\n", "", stage, flags=re.M).replace("\\\n", "")

    def instruction(pattern):
        return re.search(rf"^{pattern}$", stage, re.M)[1]

    def words(pattern):
        return shlex.join(json.loads(instruction(pattern + r" (\[.*\])")))

    user, group = instruction(r"USER (\S+)").split(":")
    values = {
        "image_run": "\n".join(re.findall(r"^RUN (.*)$", stage, re.M)),
        "image_user": user,
        "image_group": group,
        "image_environment": instruction(r"ENV (\S+)"),
        "image_command": words("ENTRYPOINT") + " " + words("CMD"),
        "image_health": words(r"HEALTHCHECK .*CMD"),
        "image_volume": instruction(r"VOLUME (\S+)"),
    }
    for name, value in values.items():
        print(f"{name}={shlex.quote(value)}")


if __name__ == "__main__":
    main()
