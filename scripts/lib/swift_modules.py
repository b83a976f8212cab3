# SPDX-License-Identifier: Apache-2.0
"""What a compiler needs to be told to find the modules of one build of ours."""

import glob
import os


def arguments(root, binaries):
    modules = os.path.join(binaries, "Modules")
    if not os.path.exists(os.path.join(modules, "OffstageUIKit.swiftmodule")):
        raise SystemExit(f"{modules} has no modules: build first (swift build).")
    found = ["-I", modules]
    for folder in sorted(glob.glob(os.path.join(root, "Sources", "C*"))):
        places = [os.path.join(folder, "module.modulemap"), os.path.join(folder, "include", "module.modulemap"),
                  os.path.join(binaries, os.path.basename(folder) + ".build", "module.modulemap")]
        found += ["-Xcc", "-fmodule-map-file=" + next(filter(os.path.exists, places))]
    return found
