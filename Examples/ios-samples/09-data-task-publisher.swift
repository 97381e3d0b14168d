//: task com.example.prices.refresh app-refresh
//: run
//: ends com.example.prices.refresh completed
//: says price 42.5

import BackgroundTasks
import Combine
import Foundation
import UIKit

struct Price: Decodable {
    let value: Double
}

final class PriceStore: ObservableObject {
    @Published var price: Price?
    @Published var errorMessage: String?
    private var cancellables = Set<AnyCancellable>()

    func refresh(from url: URL, completion: @escaping (Bool) -> Void) {
        URLSession.shared.dataTaskPublisher(for: url)
            .tryMap { output -> Data in
                guard let response = output.response as? HTTPURLResponse,
                    (200..<300).contains(response.statusCode)
                else {
                    throw URLError(.badServerResponse)
                }
                return output.data
            }
            .decode(type: Price.self, decoder: JSONDecoder())
            .receive(on: DispatchQueue.main)
            .sink(
                receiveCompletion: { [weak self] result in
                    if case .failure(let error) = result {
                        self?.errorMessage = error.localizedDescription
                        completion(false)
                    } else {
                        completion(true)
                    }
                },
                receiveValue: { [weak self] price in
                    self?.price = price
                    print("price \(price.value)")
                }
            )
            .store(in: &cancellables)
    }

    func cancel() {
        cancellables.forEach { $0.cancel() }
        cancellables.removeAll()
    }
}

@main
class AppDelegate: NSObject, UIApplicationDelegate {
    let store = PriceStore()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.prices.refresh", using: .main
        ) { [store] task in
            let server = ProcessInfo.processInfo.environment["SAMPLE_SERVER"] ?? "https://example.com"
            task.expirationHandler = { store.cancel() }
            store.refresh(from: URL(string: "\(server)/price")!) { success in
                task.setTaskCompleted(success: success)
            }
        }
        return true
    }
}
