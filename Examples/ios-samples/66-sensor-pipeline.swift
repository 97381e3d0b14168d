//: task com.example.sensor.sample app-refresh
//: run
//: ends com.example.sensor.sample completed
//: says sensor: receive value: (1)
//: says samples [1, 2, 3]
//: says badge not allowed

import BackgroundTasks
import Combine
import UIKit
import UserNotifications

final class ConsoleStream: TextOutputStream {
    func write(_ string: String) {
        Swift.print(string, terminator: "")
    }
}

final class Sensor: @unchecked Sendable {
    private let readings = PassthroughSubject<Int, Never>()
    private var cancellables = Set<AnyCancellable>()

    func sample(_ completion: @escaping @Sendable ([Int]) -> Void) {
        readings
            .buffer(size: 16, prefetch: .byRequest, whenFull: .dropOldest)
            .print("sensor", to: ConsoleStream())
            .prefix(3)
            .collect()
            .receive(on: DispatchQueue.main)
            .sink { completion($0) }
            .store(in: &cancellables)
        let queue = DispatchQueue(label: "sensor")
        var number = 0
        queue.schedule(after: queue.now, interval: .milliseconds(10)) { [readings] in
            number += 1
            readings.send(number)
        }
        .store(in: &cancellables)
    }

    func stop() {
        cancellables.removeAll()
    }
}

func notify(_ samples: [Int]) async {
    let content = UNMutableNotificationContent()
    content.title = "\(samples.count) samples"
    content.launchImageName = "Launch"
    do {
        try await UNUserNotificationCenter.current().add(
            UNNotificationRequest(identifier: "samples", content: content, trigger: nil))
        throw UNError(.notificationsNotAllowed)
    } catch let error as UNError where error.code == .notificationsNotAllowed {
        print("badge not allowed")
    } catch {
        print("notification failed: \(error)")
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.sensor.sample", using: nil
        ) { task in
            let sensor = Sensor()
            task.expirationHandler = { sensor.stop() }
            sensor.sample { samples in
                print("samples \(samples)")
                sensor.stop()
                Task {
                    await notify(samples)
                    task.setTaskCompleted(success: true)
                }
            }
        }
        return true
    }
}
