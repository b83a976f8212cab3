// SPDX-License-Identifier: Apache-2.0
import OffstageBackgroundTasks
import OffstageProtocol
import Testing

@Suite struct RequestTests {
    @Test func `a request has Apple's defaults`() {
        let refresh = BGAppRefreshTaskRequest(identifier: "a")
        #expect(refresh.identifier == "a" && refresh.earliestBeginDate == nil)
        let processing = BGProcessingTaskRequest(identifier: "b")
        #expect(!processing.requiresNetworkConnectivity && !processing.requiresExternalPower)
        let research = BGHealthResearchTaskRequest(identifier: "c")
        #expect(research.protectionTypeOfRequiredData == .completeUntilFirstUserAuthentication)
        let continued = BGContinuedProcessingTaskRequest(identifier: "d", title: "Export", subtitle: "begins")
        #expect(continued.title == "Export" && continued.subtitle == "begins")
        #expect(continued.strategy == .queue && continued.requiredResources.isEmpty)
        #expect(BGTaskScheduler.supportedResources == [])
    }

    @Test func `the numbers are Apple's`() {
        typealias Request = BGContinuedProcessingTaskRequest
        #expect(Request.SubmissionStrategy.fail.rawValue == 0 && Request.SubmissionStrategy.queue.rawValue == 1)
        #expect(Request.Resources.gpu.rawValue == 1)
        let codes: [BGTaskScheduler.Error.Code] = [
            .unavailable, .tooManyPendingTaskRequests, .notPermitted, .immediateRunIneligible,
        ]
        #expect(codes.map(\.rawValue) == [1, 2, 3, 4])
    }

    @Test func `a copy is of the same class, and changes with nothing else`() throws {
        let date = Date(timeIntervalSince1970: 1000)
        let research = BGHealthResearchTaskRequest(identifier: "c")
        research.earliestBeginDate = date
        research.requiresExternalPower = true
        research.protectionTypeOfRequiredData = .complete
        let copy = try #require(research.copy() as? BGHealthResearchTaskRequest)
        research.earliestBeginDate = nil
        research.requiresExternalPower = false
        #expect(copy !== research && copy.identifier == "c" && copy.earliestBeginDate == date)
        #expect(copy.requiresExternalPower && copy.protectionTypeOfRequiredData == .complete)
        let continued = BGContinuedProcessingTaskRequest(identifier: "d", title: "Export", subtitle: "begins")
        continued.strategy = .fail
        continued.requiredResources = .gpu
        continued.earliestBeginDate = date
        let other = try #require(continued.copy() as? BGContinuedProcessingTaskRequest)
        #expect(other.title == "Export" && other.strategy == .fail && other.requiredResources == .gpu)
        #expect(other.earliestBeginDate == date)
    }

    @Test func `what the daemon keeps of a request makes it again`() {
        let processing = BGProcessingTaskRequest(identifier: "b")
        processing.requiresNetworkConnectivity = true
        processing.earliestBeginDate = Date(timeIntervalSince1970: 1000)
        let continued = BGContinuedProcessingTaskRequest(identifier: "d", title: "Export", subtitle: "begins")
        continued.earliestBeginDate = processing.earliestBeginDate
        let drafts = [processing.draft, BGAppRefreshTaskRequest(identifier: "a").draft, continued.draft]
        #expect(drafts[0].requiresNetwork && !drafts[0].requiresExternalPower)
        #expect(drafts[2].earliestBegin == nil, "Continued processing runs at once.")
        let again = drafts.map { BGTaskRequest.make(from: $0) }
        #expect(again.map(\.draft) == drafts)
        #expect(again.map { "\(type(of: $0))" } == drafts.map { Self.classes[$0.kind.rawValue] })
    }

    private static let classes = [
        "refresh": "BGAppRefreshTaskRequest", "processing": "BGProcessingTaskRequest",
        "healthResearch": "BGHealthResearchTaskRequest", "continued": "BGContinuedProcessingTaskRequest",
    ]

    @Test func `an error is caught by its code, cast, and read as Apple's`() {
        let sentence = "Switch it on."
        let error: any Error = BGTaskScheduler.Error(
            .unavailable,
            userInfo: [NSLocalizedDescriptionKey: sentence]
        )
        var caught = ""
        do {
            throw error
        } catch BGTaskScheduler.Error.notPermitted {
            caught = "notPermitted"
        } catch BGTaskScheduler.Error.unavailable {
            caught = "unavailable"
        } catch {
            caught = "\(error)"
        }
        #expect(caught == "unavailable")
        switch (error as? BGTaskScheduler.Error)?.code {
        case .unavailable: break
        default: Issue.record("The code is another.")
        }
        let bridged = error as NSError
        #expect(bridged.domain == BGTaskScheduler.errorDomain && bridged.domain == BGTaskScheduler.Error.errorDomain)
        #expect(bridged.domain == "BGTaskSchedulerErrorDomain")
        #expect(bridged.code == BGTaskScheduler.Error.Code.unavailable.rawValue)
        #expect(error.localizedDescription == sentence && bridged.localizedDescription == sentence)
    }
}
