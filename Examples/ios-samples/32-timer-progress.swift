//: task com.example.timer.render continued
//: submit com.example.timer.render {"bgrun.title": "Render", "bgrun.subtitle": "Frames"}
//: run
//: ends com.example.timer.render completed
//: says rendered 10 frames

import BackgroundTasks
import Combine
import UIKit

@MainActor
final class Renderer {
    private var timer: AnyCancellable?
    private var countdown: Timer?

    func render(_ task: BGContinuedProcessingTask) {
        task.progress.totalUnitCount = 10
        timer = Timer.publish(every: 0.005, on: .main, in: .common)
            .autoconnect()
            .scan(0) { count, _ in count + 1 }
            .prefix(10)
            .sink { _ in
                print("rendered \(task.progress.completedUnitCount) frames")
                task.setTaskCompleted(success: true)
            } receiveValue: { frame in
                task.progress.completedUnitCount = Int64(frame)
                task.updateTitle("Render", subtitle: "Frame \(frame)")
            }
        countdown = Timer.scheduledTimer(withTimeInterval: 0.002, repeats: false) { _ in
            print("first tick")
        }
    }

    func stop() {
        timer?.cancel()
        countdown?.invalidate()
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let renderer = Renderer()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.timer.render", using: .main
        ) { [renderer] task in
            guard let task = task as? BGContinuedProcessingTask else { return }
            MainActor.assumeIsolated {
                task.expirationHandler = {
                    MainActor.assumeIsolated { renderer.stop() }
                    task.setTaskCompleted(success: false)
                }
                renderer.render(task)
            }
        }
        return true
    }
}
