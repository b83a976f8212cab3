// SPDX-License-Identifier: Apache-2.0

/// Records as the first schema's daemon wrote them. Never change them: records like them are on people's disks.
extension SchemaOne {
    /// An upload that was answered after a retry; a download that waits for a retry; one with a date; a paused, a
    /// cancelled and a running one.
    static let records: [String] = [
        #"""
        {"id":1,"state":{"finished":{"at":[821692903.25,1103.125,"boot-1"],"_0":{"completed":{"_0":{"sta\#
        tus":201,"finalURL":"https:\/\/photos.example.org\/in\/1.jpg","httpVersion":"1.1","bodyStart":"A\#
        P8KIg==","headers":["Location: \/x"]}}}}},"bytesDone":300,"spec":{"method":"PUT","credentials":{\#
        "user":"anna","password":"p\"w"},"unauthorizedPolicy":{"finish":{}},"proxy":{"http":"http:\/\/pr\#
        oxy:3128","none":"localhost"},"statusPolicy":{"retryTransientAndFailOnError":{}},"headers":["X-T\#
        itle: tab\there \\ 😀 \u2028","Authorization: Bearer secret"],"idleTimeout":60,"priority":0.5,"ov\#
        erallTimeout":604800,"direction":{"upload":{"_0":{"path":"\/home\/anna\/Fotos\/Größe \"1\".jpg",\#
        "identity":[2049,18446744073709551615,300,1799999999123456789],"isSnapshot":false}}},"url":"http\#
        s:\/\/photos.example.org\/in\/1.jpg?signature=a%2Fb","owner":"command","completionCommand":{"com\#
        mand":"echo 'done' && true","workingDirectory":"\/home\/anna"}},"bytesTotal":300,"furthestByte":\#
        100,"hasBeenAnswered":true,"retries":1,"createdAt":[821692800.25,1000.125,"boot-1"],"attempts":2\#
        ,"lastFailure":{"detail":"the connection broke after 100 bytes","code":"connectionLost"},"challe\#
        ngesAnswered":0,"fruitlessAttempts":1,"history":[{"startedAt":821692801.25,"endedAt":821692802.2\#
        5,"fromByte":0,"toByte":100,"failure":{"code":"connectionLost","detail":"the connection broke af\#
        ter 100 bytes"},"number":1},{"startedAt":821692901.25,"endedAt":821692903.25,"fromByte":0,"toByt\#
        e":300,"number":2}]}
        """#,
        #"""
        {"retries":1,"history":[{"failure":{"retryAfter":3.5,"code":"idleTimeout","detail":"no byte fo\#
        r 60 s"},"endedAt":821692862.25,"toByte":4000000000,"fromByte":0,"number":1,"startedAt":82169280\#
        1.25}],"bytesTotal":5000000000,"partial":{"validator":{"strongETag":{"_0":"\"v1\""}},"totalBytes\#
        ":5000000000,"syncedBytes":0,"bootID":"boot-1","serverIgnoresRanges":false},"id":2,"fruitlessAtt\#
        empts":1,"hasBeenAnswered":true,"lastFailure":{"code":"idleTimeout","detail":"no byte for 60 s",\#
        "retryAfter":3.5},"furthestByte":4000000000,"challengesAnswered":0,"expiry":{"delay":604800,"set\#
        At":[821692800.25,1000.125,"boot-1"]},"partialFile":[1,2,0,3],"createdAt":[821692800.25,1000.125\#
        ,"boot-1"],"attempts":1,"spec":{"rateLimit":1048576,"statusPolicy":{"everyResponseIsFinal":{}},"\#
        headers":[],"idleTimeout":60,"unauthorizedPolicy":{"finish":{}},"overallTimeout":604800,"owner":\#
        "command","priority":0.25,"method":"GET","url":"https:\/\/files.example.org:8443\/big.iso","prox\#
        y":{},"direction":{"download":{"_0":{"checksum":{"sha256":"0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0\#
        a0a0a0a0a0a0a0a0a0a0a0a0a0a"},"overwrites":true,"path":"\/home\/anna\/big.iso"}}},"maximumRetrie\#
        s":4},"bytesDone":4000000000,"state":{"waiting":{"_0":{"since":821692862.25,"cause":{"retry":{"_\#
        0":{"code":"idleTimeout","detail":"no byte for 60 s","retryAfter":3.5},"_1":{"setAt":[821692862.\#
        25,1062.125,"boot-1"],"delay":3.5}}}}}}}
        """#,
        #"""
        {"createdAt":[821692800.25,1000.125,"boot-1"],"state":{"waiting":{"_0":{"since":821692800.25,"ca\#
        use":{"earliestBegin":{"_0":821779200.25}}}}},"retries":0,"challengesAnswered":0,"attempts":0,"h\#
        istory":[],"hasBeenAnswered":false,"furthestByte":0,"spec":{"url":"http:\/\/[::1]:8080\/later","\#
        owner":"command","earliestBegin":821779200.25,"unauthorizedPolicy":{"finish":{}},"priority":0.5,\#
        "method":"GET","proxy":{},"direction":{"download":{"_0":{"path":"\/home\/anna\/later","overwrite\#
        s":false}}},"overallTimeout":3600.5,"headers":[],"statusPolicy":{"everyResponseIsFinal":{}},"idl\#
        eTimeout":60},"id":3,"bytesDone":0,"fruitlessAttempts":0}
        """#,
        #"""
        {"retries":0,"hasBeenAnswered":false,"history":[],"furthestByte":0,"challengesAnswered":0,"id":4\#
        ,"spec":{"headers":[],"proxy":{},"priority":0.25,"url":"https:\/\/files.example.org:8443\/big.is\#
        o","maximumRetries":4,"statusPolicy":{"everyResponseIsFinal":{}},"rateLimit":1048576,"idleTimeou\#
        t":60,"direction":{"download":{"_0":{"path":"\/home\/anna\/big.iso","checksum":{"sha256":"0a0a0a\#
        0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"},"overwrites":true}}},"overallTimeou\#
        t":604800,"owner":"command","method":"GET","unauthorizedPolicy":{"finish":{}}},"createdAt":[8216\#
        92800.25,1000.125,"boot-1"],"attempts":0,"fruitlessAttempts":0,"bytesDone":0,"state":{"paused":{\#
        "timeLeft":604790,"since":821692810.25}}}
        """#,
        #"""
        {"id":5,"bytesDone":0,"retries":0,"createdAt":[821692800.25,1000.125,"boot-1"],"furthestByte":0,\#
        "state":{"finished":{"_0":{"cancelled":{}},"at":[821692810.25,1010.125,"boot-1"]}},"attempts":0,\#
        "hasBeenAnswered":false,"bytesTotal":300,"fruitlessAttempts":0,"spec":{"priority":0.5,"owner":"c\#
        ommand","proxy":{"none":"localhost","http":"http:\/\/proxy:3128"},"statusPolicy":{"retryTransien\#
        tAndFailOnError":{}},"url":"https:\/\/photos.example.org\/in\/1.jpg?signature=a%2Fb","method":"P\#
        UT","credentials":{"user":"anna","password":"p\"w"},"completionCommand":{"workingDirectory":"\/h\#
        ome\/anna","command":"echo 'done' && true"},"unauthorizedPolicy":{"finish":{}},"headers":["X-Tit\#
        le: tab\there \\ 😀 \u2028","Authorization: Bearer secret"],"direction":{"upload":{"_0":{"path":"\#
        \/home\/anna\/Fotos\/Größe \"1\".jpg","isSnapshot":false,"identity":[2049,18446744073709551615,3\#
        00,1799999999123456789]}}},"overallTimeout":604800,"idleTimeout":60},"challengesAnswered":0,"his\#
        tory":[]}
        """#,
        #"""
        {"fruitlessAttempts":0,"expiry":{"setAt":[821692800.25,1000.125,"boot-1"],"delay":604800},"id":6\#
        ,"retries":0,"spec":{"idleTimeout":60,"proxy":{"http":"http:\/\/proxy:3128","none":"localhost"},\#
        "headers":["X-Title: tab\there \\ 😀 \u2028","Authorization: Bearer secret"],"unauthorizedPolicy"\#
        :{"finish":{}},"overallTimeout":604800,"url":"https:\/\/photos.example.org\/in\/1.jpg?signature=\#
        a%2Fb","method":"PUT","completionCommand":{"command":"echo 'done' && true","workingDirectory":"\\#
        /home\/anna"},"credentials":{"user":"anna","password":"p\"w"},"owner":"command","statusPolicy":{\#
        "retryTransientAndFailOnError":{}},"direction":{"upload":{"_0":{"path":"\/home\/anna\/Fotos\/Grö\#
        ße \"1\".jpg","identity":[2049,18446744073709551615,300,1799999999123456789],"isSnapshot":false}\#
        }},"priority":0.5},"attempts":1,"bytesTotal":300,"createdAt":[821692800.25,1000.125,"boot-1"],"h\#
        istory":[],"furthestByte":0,"hasBeenAnswered":false,"challengesAnswered":0,"bytesDone":120,"stat\#
        e":{"running":{"_0":{"number":1,"startedAt":[821692801.25,1001.125,"boot-1"],"offset":0}}}}
        """#,
    ]

    /// The other half of each row, in the same order.
    static let rows = [
        "1, 'command', 'photos.example.org:443', 'https://photos.example.org/in/1.jpg?…', "
            + "'/home/anna/Fotos/Größe \"1\".jpg', 0.5, 'finished', 'completed', 821692903.25, NULL, NULL, NULL, NULL",
        "2, 'command', 'files.example.org:8443', 'https://files.example.org:8443/big.iso', "
            + "'/home/anna/big.iso', 0.25, 'waiting', NULL, NULL, 821692800.25, 'boot-1', 1000.125, 604800.0",
        "3, 'command', '[::1]:8080', 'http://[::1]:8080/later', "
            + "'/home/anna/later', 0.5, 'waiting', NULL, NULL, NULL, NULL, NULL, NULL",
        "4, 'command', 'files.example.org:8443', 'https://files.example.org:8443/big.iso', "
            + "'/home/anna/big.iso', 0.25, 'paused', NULL, NULL, NULL, NULL, NULL, NULL",
        "5, 'command', 'photos.example.org:443', 'https://photos.example.org/in/1.jpg?…', "
            + "'/home/anna/Fotos/Größe \"1\".jpg', 0.5, 'finished', 'cancelled', 821692810.25, NULL, NULL, NULL, NULL",
        "6, 'command', 'photos.example.org:443', 'https://photos.example.org/in/1.jpg?…', "
            + "'/home/anna/Fotos/Größe \"1\".jpg', 0.5, 'running', NULL, NULL, 821692800.25, 'boot-1', 1000.125, 604800.0",
    ]

    /// Statements that insert all of them into a store of schema 1.
    static var filling: String {
        zip(rows, records).enumerated().map { index, halves in
            let record = halves.1.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
            return """
                INSERT INTO transfers VALUES (\(halves.0));
                INSERT INTO records VALUES (\(index + 1), CAST('\(record)' AS BLOB));
                """
        }.joined(separator: "\n")
    }
}
