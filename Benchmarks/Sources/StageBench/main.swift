// SPDX-License-Identifier: Apache-2.0
import UIKit

// stage-bench NOTES start              says that it has begun, and ends
// stage-bench NOTES hold SECONDS       holds a background task for so long whenever it is sent to background
// stage-bench NOTES expire             holds one until it expires
// stage-bench NOTES fetch URL          fetches, and again whenever its session's events are there
// stage-bench NOTES later SECONDS      asks for work after so many seconds when it is sent to background, and in the work
//
// Each writes into the pipe NOTES what happens to it, and when.

let notes = Notes(path: CommandLine.arguments.dropFirst().first ?? "")
if CommandLine.arguments.dropFirst(2).first == "start" {
    notes.add("started")
    exit(0)
}
AppDelegate.main()
