//: task com.example.search.index processing
//: run
//: ends com.example.search.index completed
//: says Query: swift
//: says Status idle, active, finished
//: says Latest 1 a true 2.5

import BackgroundTasks
import Combine
import UIKit

final class SearchViewModel: ObservableObject {
    enum State: Equatable { case idle, loading, loaded([String]), failed(String) }
    @Published var query = ""
    @Published private(set) var state: State = .idle
    @Published var isValid = false
    let events = PassthroughSubject<String, Never>()
    private var cancellables = Set<AnyCancellable>()
    private var bag: [AnyCancellable] = []

    init() {
        $query
            .dropFirst()
            .debounce(for: .milliseconds(20), scheduler: DispatchQueue.main)
            .removeDuplicates()
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
            .handleEvents(receiveOutput: { [weak self] _ in self?.state = .loading })
            .flatMap { [unowned self] query in self.search(query).catch { _ in Just([]) } }
            .receive(on: DispatchQueue.main)
            .sink { [weak self] results in
                self?.state = .loaded(results)
                self?.events.send(results.joined())
            }
            .store(in: &cancellables)
        $query.map { $0.count > 2 }.assign(to: &$isValid)
        events.throttle(for: 0.1, scheduler: RunLoop.main, latest: true).sink { _ in }.store(
            in: &bag)
    }

    func search(_ query: String) -> AnyPublisher<[String], Error> {
        print("Query: \(query)")
        return Future<[String], Error> { promise in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) {
                promise(.success([query]))
            }
        }
        .timeout(.seconds(5), scheduler: DispatchQueue.main, customError: { URLError(.timedOut) })
        .retry(2)
        .eraseToAnyPublisher()
    }
}

final class Indexer {
    private var cancellables = Set<AnyCancellable>()
    private let model = SearchViewModel()
    private let status = CurrentValueSubject<String, Never>("idle")

    func run(completion: @escaping (Bool) -> Void) {
        status
            .scan([]) { $0 + [$1] }
            .last()
            .sink { print("Status \($0.joined(separator: ", "))") }
            .store(in: &cancellables)
        Publishers.CombineLatest4(Just(1), Just("a"), Just(true), Just(2.5))
            .sink { print("Latest \($0) \($1) \($2) \($3)") }
            .store(in: &cancellables)
        Publishers.Zip3([1, 2].publisher, ["a", "b"].publisher, [true, false].publisher)
            .output(at: 1)
            .sink { print("Zipped", $0) }
            .store(in: &cancellables)
        (1...10).publisher
            .collect(.byTimeOrCount(DispatchQueue.main, .seconds(1), 4))
            .sink { print("Chunk \($0)") }
            .store(in: &cancellables)
        Just(5).tryScan(0) { sum, value -> Int in
            guard value < 10 else { throw URLError(.badURL) }
            return sum + value
        }
        .tryReduce(0) { $0 + $1 }
        .sink(
            receiveCompletion: { completion in
                if case .failure(let error) = completion { print(error) }
            }, receiveValue: { print("Sum \($0)") }
        )
        .store(in: &cancellables)
        Publishers.Merge3(Just(1), Just(2), Just(3)).collect().sink {
            print("Merged \($0.sorted())")
        }.store(in: &cancellables)
        Just(1).merge(with: Just(2), Just(3), Just(4)).count().sink { print("Count \($0)") }.store(
            in: &cancellables)
        model.events
            .prefix(1)
            .sink { [status] _ in
                status.send("active")
                status.send("finished")
                status.send(completion: .finished)
                completion(true)
            }
            .store(in: &cancellables)
        model.query = "sw"
        model.query = "swift"
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private var indexer: Indexer?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.search.index", using: .main
        ) { task in
            MainActor.assumeIsolated {
                let indexer = Indexer()
                self.indexer = indexer
                indexer.run { task.setTaskCompleted(success: $0) }
            }
        }
        return true
    }
}
