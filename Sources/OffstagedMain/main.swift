// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageDaemon

exit(DaemonMain.run(arguments: CommandLine.arguments))
