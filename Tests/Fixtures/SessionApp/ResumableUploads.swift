// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage

// Written as for iOS 17, in Swift 5 mode: nothing in this file knows that it runs on Linux.

/// Uploads that a person can pause, over a server that supports resumable uploads.
final class PausedUploads {
    private var resumeData: [String: Data] = [:]

    func pause(_ task: URLSessionUploadTask, as name: String, then report: @escaping (Bool) -> Void) {
        task.cancel(byProducingResumeData: { data in
            DispatchQueue.main.async {
                self.resumeData[name] = data
                report(data != nil)
            }
        })
    }

    func pause(_ task: URLSessionUploadTask, as name: String) async {
        resumeData[name] = await task.cancelByProducingResumeData()
    }

    func failed(_ error: Error, as name: String) {
        if let data = (error as? URLError)?.uploadTaskResumeData { resumeData[name] = data }
        if let data = (error as NSError).userInfo[NSURLSessionUploadTaskResumeData] as? Data { resumeData[name] = data }
    }

    func goOn(_ name: String, in session: URLSession) -> URLSessionUploadTask? {
        guard let data = resumeData.removeValue(forKey: name) else { return nil }
        let task = session.uploadTask(withResumeData: data)
        task.resume()
        return task
    }
}
