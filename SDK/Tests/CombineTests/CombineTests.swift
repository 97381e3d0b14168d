// SPDX-License-Identifier: Apache-2.0

import Combine
import Foundation
import Testing

private struct Oops: Error, Equatable {}

/// The events that a publisher sends synchronously.
private func sent<P: Publisher>(_ publisher: P) -> [String] {
    var events: [String] = []
    let cancellable = publisher.sink { completion in
        switch completion {
        case .finished: events.append("finished")
        case .failure(let error): events.append("\(error)")
        }
    } receiveValue: {
        events.append("\($0)")
    }
    withExtendedLifetime(cancellable) {}
    return events
}

private final class Text: TextOutputStream {
    var lines: [String] = []
    func write(_ string: String) { lines.append(string) }
}

/// Requests values only when the test does.
private final class Slow: Subscriber {
    var subscription: (any Subscription)?
    var received: [String] = []

    func receive(subscription: any Subscription) { self.subscription = subscription }
    func receive(_ input: Int) -> Subscribers.Demand {
        received.append("\(input)")
        return .none
    }
    func receive(completion: Subscribers.Completion<Oops>) {
        if case .failure(let error) = completion { received.append("\(error)") }
    }
}

private final class Model: ObservableObject {
    @Published var name = "Ada"
    @Published var length = 0
    var bag = Set<AnyCancellable>()
}

@Suite(.timeLimit(.minutes(1))) struct CombineTests {
    @Test("A multicast sends to all subscribers, with a given or a created subject")
    func multicasts() {
        for isCreated in [false, true] {
            var received: [Int] = []
            let numbers = [1, 2].publisher
            let shared =
                isCreated
                ? numbers.multicast { PassthroughSubject<Int, Never>() }
                : numbers.multicast(subject: PassthroughSubject<Int, Never>())
            let subscribers = [0, 10].map { base in shared.sink { received.append(base + $0) } }
            #expect(received.isEmpty)
            let connection = shared.connect()
            withExtendedLifetime((subscribers, connection)) {}
            #expect(received.sorted() == [1, 2, 11, 12])
        }
    }

    @Test("A buffer that is full drops a value or fails")
    func buffers() {
        func received(_ whenFull: Publishers.BufferingStrategy<Oops>) -> [String] {
            let subject = PassthroughSubject<Int, Oops>()
            let buffer = subject.buffer(size: 2, prefetch: .byRequest, whenFull: whenFull)
            let slow = Slow()
            buffer.subscribe(slow)
            for number in 1...4 { subject.send(number) }
            slow.subscription?.request(.unlimited)
            return slow.received
        }
        #expect(received(.dropNewest) == ["1", "2"])
        #expect(received(.dropOldest) == ["3", "4"])
        #expect(received(.customError { Oops() }) == ["1", "2", "\(Oops())"])
    }

    @Test("A queue repeats an action until that is cancelled")
    func repeats() async {
        let (dates, continuation) = AsyncStream<Int>.makeStream()
        let queue = DispatchQueue(label: "repeats")
        let repeated = queue.schedule(after: queue.now, interval: .milliseconds(1)) {
            continuation.yield(1)
        }
        var count = 0
        for await _ in dates {
            count += 1
            if count == 3 { break }
        }
        repeated.cancel()
        #expect(count == 3)
    }

    @Test("Events are written to a stream")
    func prints() {
        let text = Text()
        #expect(sent(Just(1).print("just", to: text)) == ["1", "finished"])
        #expect(
            text.lines == [
                "just: receive subscription\n", "just: receive value: (1)\n",
                "just: receive finished\n",
            ])
    }

    @Test("Operators change, select and end values in order")
    func values() {
        let numbers = [1, 2, 2, 3, 4].publisher
        #expect(sent(numbers.map { $0 * 2 }.filter { $0 > 2 }) == ["4", "4", "6", "8", "finished"])
        #expect(sent(numbers.removeDuplicates().dropFirst().prefix(2)) == ["2", "3", "finished"])
        #expect(sent(numbers.scan(0, +).last()) == ["12", "finished"])
        #expect(sent(numbers.collect(2)) == ["[1, 2]", "[2, 3]", "[4]", "finished"])
        #expect(sent(numbers.first { $0 > 2 }) == ["3", "finished"])
        #expect(sent(numbers.compactMap { $0 == 2 ? nil : $0 }.count()) == ["3", "finished"])
        #expect(sent(numbers.max()) == ["4", "finished"])
        #expect(sent(numbers.contains(3)) == ["true", "finished"])
        #expect(sent([Int]().publisher.replaceEmpty(with: 7)) == ["7", "finished"])
        #expect(sent(Just(1).prepend(0).append(2)) == ["0", "1", "2", "finished"])
    }

    @Test("A failure ends the values, and can be caught, replaced, changed and retried")
    func failures() {
        let failing = [1, 2, 3].publisher.tryMap { if $0 == 2 { throw Oops() } else { $0 } }
        #expect(sent(failing) == ["1", "Oops()"])
        #expect(sent(failing.replaceError(with: 9)) == ["1", "9", "finished"])
        #expect(sent(failing.catch { _ in [7, 8].publisher }) == ["1", "7", "8", "finished"])
        #expect(sent(failing.mapError { _ in URLError(.timedOut) }).count == 2)
        var attempts = 0
        let retried = Deferred {
            attempts += 1
            return attempts < 3
                ? Fail<Int, Oops>(error: Oops()).eraseToAnyPublisher()
                : Just(attempts).setFailureType(to: Oops.self).eraseToAnyPublisher()
        }
        #expect(sent(retried.retry(1)) == ["Oops()"])
        #expect(sent(retried.retry(1)) == ["3", "finished"])
    }

    @Test("Several publishers are merged, zipped, combined, flattened and switched")
    func many() {
        let first = PassthroughSubject<Int, Never>()
        let second = PassthroughSubject<String, Never>()
        var events: [String] = []
        var bag: [AnyCancellable] = []
        first.combineLatest(second).sink { events.append("latest \($0)\($1)") }.store(in: &bag)
        first.zip(second).sink { events.append("zip \($0)\($1)") }.store(in: &bag)
        first.map(String.init).merge(with: second).sink { events.append($0) }.store(in: &bag)
        first.send(1)
        first.send(2)
        second.send("a")
        #expect(events == ["1", "2", "latest 2a", "zip 1a", "a"])

        let flat = [3, 1].publisher.flatMap(maxPublishers: .max(1)) { (0..<$0).publisher }
        #expect(sent(flat) == ["0", "1", "2", "0", "finished"])
        let outer = PassthroughSubject<AnyPublisher<String, Never>, Never>()
        events = []
        outer.switchToLatest().sink { events.append($0) }.store(in: &bag)
        let inner = PassthroughSubject<String, Never>()
        outer.send(inner.eraseToAnyPublisher())
        inner.send("x")
        outer.send(Just("y").eraseToAnyPublisher())
        inner.send("lost")
        #expect(events == ["x", "y"])
        let failing = [1, 2].publisher.flatMap { _ in Fail<Int, Oops>(error: Oops()) }
        #expect(sent(failing) == ["Oops()"])
        #expect(
            sent(Publishers.MergeMany([1, 2].map(Just.init))) == ["1", "2", "finished"])
    }

    @Test("A cancelled or released subscription receives nothing more")
    func cancellation() {
        let subject = CurrentValueSubject<Int, Never>(0)
        var received: [Int] = []
        var kept: AnyCancellable? = subject.sink { received.append($0) }
        subject.value = 1
        kept = nil
        subject.send(2)
        #expect(kept == nil)
        #expect(received == [0, 1])
        #expect(subject.value == 2)
        let other = subject.sink { received.append(-$0) }
        other.cancel()
        subject.send(3)
        #expect(received == [0, 1, -2])
    }

    @Test("A subscriber receives no more values than it requests")
    func demand() {
        final class Two: Subscriber {
            var received: [Int] = []
            var subscription: (any Subscription)?

            func receive(subscription: any Subscription) {
                self.subscription = subscription
                subscription.request(.max(1))
            }

            func receive(_ input: Int) -> Subscribers.Demand {
                received.append(input)
                return received.count == 1 ? .max(1) : .none
            }

            func receive(completion: Subscribers.Completion<Never>) {
                received.append(-1)
            }
        }
        let subscriber = Two()
        (1...3).publisher.subscribe(subscriber)
        #expect(subscriber.received == [1, 2])
        subscriber.subscription?.request(.unlimited)
        #expect(subscriber.received == [1, 2, 3, -1])
    }

    @Test("A published property publishes before it changes, and can be assigned from a publisher")
    func published() {
        let model = Model()
        var events: [String] = []
        model.objectWillChange.sink { events.append("will change \(model.name)") }
            .store(in: &model.bag)
        model.$name.sink { events.append($0) }.store(in: &model.bag)
        model.$name.map(\.count).assign(to: &model.$length)
        model.name = "Grace"
        #expect(events.first == "Ada")
        #expect(events.contains("will change Ada"))
        #expect(events.last == "Grace")
        #expect(model.length == 5)
    }

    @Test("An object that observes itself is released")
    func release() {
        weak var released: Model?
        do {
            let model = Model()
            model.$name.sink { [weak model] in model?.length = $0.count }.store(in: &model.bag)
            model.$name.map(\.count).assign(to: &model.$length)
            released = model
        }
        #expect(released == nil)
    }

    @Test("Notifications are published, as values and as an asynchronous sequence")
    func notifications() async {
        let center = NotificationCenter()
        let name = Notification.Name("com.example.changed")
        var count = 0
        let cancellable = center.publisher(for: name).sink { _ in count += 1 }
        center.post(name: name, object: nil)
        center.post(name: Notification.Name("com.example.other"), object: nil)
        cancellable.cancel()
        center.post(name: name, object: nil)
        #expect(count == 1)

        var values = [5, 6].publisher.values.makeAsyncIterator()
        #expect(await values.next() == 5)
        #expect(await values.next() == 6)
        #expect(await values.next() == nil)
    }

    @Test("Values arrive on the scheduler, in order, and a future's value can be awaited")
    func schedulers() async throws {
        let queue = DispatchQueue(label: "com.example.receive")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        var onQueue = (0..<100).publisher.receive(on: queue)
            .map { ($0, DispatchQueue.getSpecific(key: key) == true) }
            .values.makeAsyncIterator()
        for number in 0..<100 {
            let value = await onQueue.next()
            #expect(value?.0 == number)
            #expect(value?.1 == true)
        }
        let future = Future<Int, any Error> { promise in
            queue.asyncAfter(deadline: .now() + 0.001) { promise(.success(3)) }
        }
        #expect(try await future.value == 3)
        // The interval never ends during the test; the completion does not wait for it.
        var debounced = [1, 2, 3].publisher.debounce(for: .seconds(600), scheduler: queue)
            .values.makeAsyncIterator()
        #expect(await debounced.next() == 3)
        #expect(await debounced.next() == nil)
        // The subject does not complete: the value comes at the end of the interval.
        let subject = CurrentValueSubject<Int, Never>(4)
        var due = subject.debounce(for: .milliseconds(1), scheduler: queue)
            .values.makeAsyncIterator()
        #expect(await due.next() == 4)
    }

    @Test("A future of any failure has a value that can be awaited, or throws its failure")
    func futures() async throws {
        let fulfilled = Future<Int, Oops> { $0(.success(3)) }
        #expect(try await fulfilled.value == 3)
        let failed = Future<Int, Oops> { $0(.failure(Oops())) }
        await #expect(throws: Oops()) { try await failed.value }
        #expect(await Future<Int, Never> { $0(.success(4)) }.value == 4)
    }

    @Test("The values of a publisher have Apple's names, as types and as initializers")
    func asyncPublishers() async throws {
        let numbers = [1, 2].publisher.eraseToAnyPublisher()
        let values: AsyncPublisher<AnyPublisher<Int, Never>> = numbers.values
        var received: [Int] = []
        for await value in values { received.append(value) }
        for await value in AsyncPublisher(numbers) { received.append(value) }
        #expect(received == [1, 2, 1, 2])
        let failing = numbers.tryMap { if $0 == 2 { throw Oops() } else { $0 } }
        let throwing: AsyncThrowingPublisher<AnyPublisher<Int, any Error>> = failing.values
        for values in [throwing, AsyncThrowingPublisher(failing)] {
            var iterator = values.makeAsyncIterator()
            #expect(try await iterator.next() == 1)
            await #expect(throws: Oops()) { try await iterator.next() }
        }
    }

    @Test("Assign sets a property, and holds its object until it is cancelled or finished")
    func assign() {
        let numbers = PassthroughSubject<Int, Never>()
        weak var released: Model?
        do {
            let model = Model()
            released = model
            let assign = Subscribers.Assign(object: model, keyPath: \.length)
            numbers.subscribe(assign)
            numbers.send(3)
            #expect(model.length == 3)
            #expect(assign.object === model)
            assign.cancel()
            numbers.send(4)
            #expect(model.length == 3)
            #expect(assign.object == nil)
        }
        #expect(released == nil)
        let model = Model()
        let cancellable = numbers.assign(to: \.length, on: model)
        numbers.send(5)
        #expect(model.length == 5)
        cancellable.cancel()
        numbers.send(6)
        #expect(model.length == 5)
        let second = Subscribers.Assign(object: model, keyPath: \.length)
        numbers.subscribe(second)
        numbers.send(completion: .finished)
        #expect(second.object == nil)
    }

    @Test("Operators with a closure that may throw select values, and fail with its error")
    func throwingSelection() {
        let numbers = [1, 2, 3, 1].publisher
        let isThree = { (number: Int) throws -> Bool in number == 3 }
        let isSmall = { (number: Int) throws -> Bool in number < 3 }
        let fails = { (number: Int) throws -> Bool in
            if number == 2 { throw Oops() } else { number < 2 }
        }
        let failsAtTwo = { (number: Int) throws -> Bool in
            if number == 2 { throw Oops() } else { false }
        }
        #expect(sent(numbers.tryFirst(where: isThree)) == ["3", "finished"])
        #expect(sent(numbers.tryFirst(where: failsAtTwo)) == ["Oops()"])
        #expect(sent(numbers.tryPrefix(while: isSmall)) == ["1", "2", "finished"])
        #expect(sent(numbers.tryPrefix(while: fails)) == ["1", "Oops()"])
        #expect(sent(numbers.tryDrop(while: isSmall)) == ["3", "1", "finished"])
        #expect(sent(numbers.tryDrop(while: fails)) == ["Oops()"])
        #expect(sent(numbers.tryAllSatisfy(isSmall)) == ["false", "finished"])
        #expect(sent(numbers.tryAllSatisfy { $0 > 0 }) == ["true", "finished"])
        #expect(sent(numbers.tryAllSatisfy(fails)) == ["Oops()"])
        #expect(sent(numbers.tryContains(where: isThree)) == ["true", "finished"])
        #expect(sent(numbers.tryContains { $0 > 3 }) == ["false", "finished"])
        #expect(sent(numbers.tryContains(where: failsAtTwo)) == ["Oops()"])
    }

    @Test("A shared publisher has one subscription")
    func share() {
        var subscriptions = 0
        let subject = PassthroughSubject<Int, Never>()
        let shared = subject.handleEvents(receiveSubscription: { _ in subscriptions += 1 }).share()
        var received: [Int] = []
        let both = [shared.sink { received.append($0) }, shared.sink { received.append(-$0) }]
        subject.send(4)
        #expect(subscriptions == 1)
        #expect(received == [4, -4])
        for each in both { each.cancel() }
        subject.send(5)
        #expect(received.count == 2)
    }
}
