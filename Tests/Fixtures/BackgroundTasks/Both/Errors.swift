// SPDX-License-Identifier: Apache-2.0
// The errors of refused requests, examined the ways that apps do.
import BackgroundTasks

func explain(_ error: Error) -> String {
    if let error = error as? BGTaskScheduler.Error {
        switch error.code {
        case .unavailable: return "Background refresh is off."
        case .tooManyPendingTaskRequests: return "There are too many."
        case .notPermitted: return "The Info.plist does not permit it."
        case .immediateRunIneligible: return "It cannot run now."
        @unknown default: return error.localizedDescription
        }
    }
    let code = (error as NSError).code
    switch code {
    case BGTaskScheduler.Error.Code.notPermitted.rawValue: return "not permitted"
    case BGTaskScheduler.Error.unavailable.rawValue: return "unavailable"
    default: return (error as NSError).domain == BGTaskScheduler.errorDomain ? "\(code)" : "unknown"
    }
}

func submit(_ request: BGTaskRequest) -> Bool {
    do {
        try BGTaskScheduler.shared.submit(request)
        return true
    } catch let error as BGTaskScheduler.Error where error.code == .unavailable {
        print(error.errorCode, error.userInfo)
    } catch let error as NSError where error.domain == BGTaskScheduler.Error.errorDomain {
        print(error.localizedDescription)
    } catch {
        print(explain(error))
    }
    switch (BGTaskScheduler.Error(.notPermitted) as Error as? BGTaskScheduler.Error)?.code {
    case .notPermitted?: return false
    default: return true
    }
}
