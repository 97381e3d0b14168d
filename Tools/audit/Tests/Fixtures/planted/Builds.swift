import BackgroundTasks
import UIKit

enum Background {
    static func register() {
        #if targetEnvironment(simulator)
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.sync", using: nil) { task in  // expect: only-in-some-builds
            Sync.shared.run(task)
        }
        #endif
    }

    static func submit() throws {
        let request = BGProcessingTaskRequest(identifier: "com.example.sync")
        #if DEBUG
        try BGTaskScheduler.shared.submit(request)  // expect: only-in-some-builds
        #else
        print("not scheduled")
        #endif
    }

    static func simulate() {
        BGTaskScheduler.shared.perform(
            NSSelectorFromString("_simulateLaunchForTaskWithIdentifier:"),  // expect: private-debug-method
            with: "com.example.sync")
        let expire = Selector(("_simulateExpirationForTaskWithIdentifier:"))  // expect: private-debug-method
        BGTaskScheduler.shared.perform(expire, with: "com.example.sync")
    }
}

enum Kinds {
    static let refresh = "com.example.kinds.refresh"
    static let clean = "com.example.kinds.clean"

    static func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: refresh, using: nil) { task in
            Refresher.handle(task as! BGAppRefreshTask)
        }
        BGTaskScheduler.shared.register(forTaskWithIdentifier: clean, using: nil) { task in
            Refresher.clean(task as! BGProcessingTask)
        }
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.kinds.refresh", using: nil) { task in  // expect: registered-twice
            Refresher.handle(task as! BGAppRefreshTask)
        }
    }

    static func schedule() throws {
        try BGTaskScheduler.shared.submit(BGProcessingTaskRequest(identifier: refresh))  // expect: kind-mismatch
        try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: Kinds.clean))  // expect: kind-mismatch
        try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "com.example.kinds.refrsh"))  // expect: no-handler-registered
    }
}
