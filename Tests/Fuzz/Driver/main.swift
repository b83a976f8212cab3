// SPDX-License-Identifier: Apache-2.0
import COffstageFuzz
import Glibc
import OffstageFuzzTargets

/// Set before the driver starts, and never changed.
nonisolated(unsafe) var chosen: FuzzTarget?

guard let name = getenv("OFFSTAGE_FUZZ_TARGET").map({ String(cString: $0) }),
    let target = FuzzTarget.all.first(where: { $0.name == name })
else {
    print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
    exit(getenv("OFFSTAGE_FUZZ_TARGET") == nil ? 0 : 2)
}
chosen = target
guard offstage_fuzz_forget_counts() else { fatalError("the counters are not those of one program") }
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
    LLVMFuzzerRunDriver(&count, &arguments) { data, size in
        chosen?.run(UnsafeRawBufferPointer(start: data, count: size))
        offstage_fuzz_tell_counters()
        return 0
    }
)
