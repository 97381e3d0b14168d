//: task com.example.sensor.collect processing
//: run
//: ends com.example.sensor.collect completed
//: says Collected [1, 2, 3]
//: says Demand 3

import BackgroundTasks
import Combine
import SwiftUI

struct CountPublisher: Publisher {
    typealias Output = Int
    typealias Failure = Never
    let limit: Int

    func receive<S>(subscriber: S) where S: Subscriber, S.Input == Int, S.Failure == Never {
        subscriber.receive(subscription: CountSubscription(subscriber: subscriber, limit: limit))
    }
}

final class CountSubscription<S: Subscriber>: Subscription
where S.Input == Int, S.Failure == Never {
    private var subscriber: S?
    private var current = 0
    private let limit: Int

    init(subscriber: S, limit: Int) {
        self.subscriber = subscriber
        self.limit = limit
    }

    func request(_ demand: Subscribers.Demand) {
        var demand = demand
        while demand > 0, current < limit, let subscriber {
            demand -= 1
            current += 1
            demand += subscriber.receive(current)
        }
        if current == limit { subscriber?.receive(completion: .finished) }
    }

    func cancel() {
        subscriber = nil
    }
}

final class PrintSubscriber: Subscriber {
    typealias Input = Int
    typealias Failure = Never
    private(set) var values: [Int] = []
    let combineIdentifier = CombineIdentifier()

    func receive(subscription: Subscription) {
        subscription.request(.max(3))
    }

    func receive(_ input: Int) -> Subscribers.Demand {
        values.append(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
        print("Completed \(completion)")
    }
}

extension Publisher where Failure == Never {
    func withPrevious() -> AnyPublisher<(previous: Output?, current: Output), Never> {
        scan(Optional<(Output?, Output)>.none) { ($0?.1, $1) }
            .compactMap { $0 }
            .map { (previous: $0.0, current: $0.1) }
            .eraseToAnyPublisher()
    }

    func weakAssign<T: AnyObject>(to keyPath: ReferenceWritableKeyPath<T, Output>, on object: T)
        -> AnyCancellable
    {
        sink { [weak object] value in object?[keyPath: keyPath] = value }
    }
}

@main
struct SensorApp: App {
    init() {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.sensor.collect", using: nil
        ) { task in
            let subscriber = PrintSubscriber()
            CountPublisher(limit: 100).subscribe(subscriber)
            print("Collected \(subscriber.values)")
            print("Demand \(subscriber.values.count)")
            let cancellable = CountPublisher(limit: 3).withPrevious()
                .breakpointOnError()
                .measureInterval(using: DispatchQueue.main)
                .sink { _ in }
            let pub: some Publisher<Int, Never> = CountPublisher(limit: 2).share()
            let record = Record<Int, Never>(output: [1, 2], completion: .finished)
            let all = record.merge(with: pub).map { $0 * 2 }.replaceError(with: 0).sink { _ in }
            all.cancel()
            cancellable.cancel()
            task.setTaskCompleted(success: true)
        }
    }

    var body: some Scene {
        WindowGroup { EmptyView() }
    }
}
