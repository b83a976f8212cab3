// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstagePage

exit(PageProgram.run(Array(CommandLine.arguments.dropFirst())))
