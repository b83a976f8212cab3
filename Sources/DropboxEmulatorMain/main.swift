// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Glibc

exit(EmulatorProgram.run(Array(CommandLine.arguments.dropFirst())))
