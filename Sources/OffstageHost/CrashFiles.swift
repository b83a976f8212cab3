// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import Glibc
package import OffstageCore
import OffstageFiles
import OffstageProtocol
package import OffstageRuntime

/// The mark of a crash, and the record of crashes for later daemons: two small files beside the store.
package enum CrashFiles {
    /// The longest record of crashes, in bytes.
    private static let longest = 4 << 20

    /// Reads the files of the daemon before, and prepares this daemon's mark. Without the files the daemon continues
    /// with no record of crashes: they are no reason not to start.
    package static func takeUp(_ paths: OffstagePaths, _ environment: [String: String], _ log: Log) -> CrashMemory {
        if paths.isApart, let fault = environment["OFFSTAGE_FAULT"] { FaultSwitch.set(fault) }
        let now = SystemClock(lead: ClockLead()).now()
        let version = OffstageVersion.current.description
        var containment = read(paths.crashes)
        let before = containment
        containment.started(version: version, now: now)
        let file = open(paths.crashMark, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        if let death = file >= 0 ? death(file, now: now) : nil {
            containment.died(death)
            log.fault("the daemon before this one crashed; please report this line", ["crash": death.line])
        }
        let path = paths.crashes
        if containment != before { keep(containment, path) }
        if file >= 0 {
            _ = offstage_crash_mark_clear(file)
            offstage_crash_thread("loop")
            if offstage_crash_install(file, version, now.bootID) != 0 {
                log.error(
                    "no mark of a crash can be kept",
                    ["file": paths.crashMark, "reason": ErrorNumber(errno)]
                )
            }
        }
        return CrashMemory(containment) { keep($0, path) }
    }

    private static func read(_ path: String) -> CrashContainment {
        guard let bytes = SmallFile.read(path, limit: longest),
            let known = try? ForeignJSON.decoder().decode(CrashContainment.self, from: Data(bytes))
        else { return CrashContainment() }
        return known
    }

    /// A few hundred bytes, written when a suspect is added or removed. That is rare enough to do it on the loop.
    private static func keep(_ containment: CrashContainment, _ path: String) {
        guard let bytes = try? JSONEncoder().encode(containment) else { return }
        let new = path + ".new"
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let isWritten = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count
        close(file)
        if isWritten { rename(new, path) } else { unlink(new) }
    }

    private static func death(_ file: Int32, now: Moment) -> DaemonDeath? {
        guard let mark = offstage_crash_mark_read(file) else { return nil }
        defer { offstage_crash_mark_free(mark) }
        func text(_ which: Int32) -> String { String(cString: offstage_crash_mark_text(mark, which)) }
        let wall = offstage_crash_mark_wall(mark)
        let uptime = offstage_crash_mark_uptime(mark)
        // A program that can write this file can do worse damage; still, its contents must not cause a trap.
        let isSane = wall >= 0 && wall < now.wall.timeIntervalSince1970 + 86_400 && (0...1e10).contains(uptime)
        return DaemonDeath(
            at: isSane ? Moment(wall: Date(timeIntervalSince1970: wall), bootID: text(3), uptime: uptime) : now,
            version: text(2),
            signal: offstage_crash_mark_signal(mark),
            thread: text(1),
            place: text(4),
            work: work(offstage_crash_mark_doing(mark), name: text(0)),
            underWay: (0..<offstage_crash_mark_count(mark)).map {
                TransferID(rawValue: offstage_crash_mark_number(mark, $0))
            }
        )
    }

    private static func work(_ doing: offstage_doing, name: String) -> DaemonWork? {
        guard let kind = DaemonWork.Kind(rawValue: doing.kind), let step = DaemonWork.Step(rawValue: doing.step) else {
            return nil
        }
        return DaemonWork(kind, step, name: kind == .transfer ? String(doing.number) : name)
    }
}
