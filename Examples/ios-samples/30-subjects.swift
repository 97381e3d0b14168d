//: task com.example.subjects.refresh app-refresh
//: run
//: ends com.example.subjects.refresh completed
//: says states: idle running done
//: says progress 100

import BackgroundTasks
import Combine
import UIKit

enum SyncState: String {
    case idle, running, done
}

final class SyncEngine {
    let state = CurrentValueSubject<SyncState, Never>(.idle)
    let progress = PassthroughSubject<Int, Never>()
    private var bag: [AnyCancellable] = []

    func run(completion: @escaping () -> Void) {
        state
            .prefix(while: { $0 != .done })
            .append(.done)
            .map(\.rawValue)
            .collect()
            .sink { print("states: \($0.joined(separator: " "))") }
            .store(in: &bag)
        progress
            .scan(0, +)
            .throttle(for: .milliseconds(1), scheduler: DispatchQueue.main, latest: true)
            .filter { $0 == 100 }
            .first()
            .sink { value in
                print("progress \(value)")
                completion()
            }
            .store(in: &bag)

        state.send(.running)
        [10, 20, 30, 40].publisher
            .subscribe(on: DispatchQueue.global())
            .receive(on: DispatchQueue.main)
            .sink { [progress] in progress.send($0) }
            .store(in: &bag)
        state.value = .done
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let engine = SyncEngine()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.subjects.refresh", using: .main
        ) { [engine] task in
            engine.run {
                task.setTaskCompleted(success: true)
            }
        }
        return true
    }
}
