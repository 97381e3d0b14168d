//: task com.example.forecast.refresh app-refresh
//: run
//: ends com.example.forecast.refresh completed
//: says Price 42.5
//: says error: The server could not be reached.

import BackgroundTasks
import UIKit

protocol Endpoint {
    associatedtype Response: Decodable & Sendable
    var path: String { get }
    var queryItems: [URLQueryItem] { get }
}

extension Endpoint {
    var queryItems: [URLQueryItem] { [] }
}

struct PriceEndpoint: Endpoint {
    struct Response: Decodable, Sendable { let value: Double }
    let path = "price"
    var queryItems: [URLQueryItem] {
        [.init(name: "units", value: "metric"), .init(name: "q", value: "São Paulo")]
    }
}

enum ServiceError: LocalizedError {
    case status(Int), unreachable(underlying: URLError)

    var errorDescription: String? {
        switch self {
        case .status(let code): HTTPURLResponse.localizedString(forStatusCode: code)
        case .unreachable: String(localized: "The server could not be reached.")
        }
    }
}

struct WeatherService: Sendable {
    let baseURL: URL
    private let session: URLSession

    init(baseURL: URL) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = URLCache(
            memoryCapacity: 4 << 20, diskCapacity: 20 << 20, directory: nil)
        configuration.requestCachePolicy = .useProtocolCachePolicy
        configuration.timeoutIntervalForRequest = 10
        self.baseURL = baseURL
        session = URLSession(configuration: configuration)
    }

    func request(for path: String, items: [URLQueryItem]) -> URLRequest {
        var request = URLRequest(url: baseURL.appending(path: path).appending(queryItems: items))
        request.setValue("gzip", forHTTPHeaderField: "Accept-Encoding")
        request.setValue(Locale.preferredLanguages.first, forHTTPHeaderField: "Accept-Language")
        request.allowsCellularAccess = true
        request.assumesHTTP3Capable = true
        request.attribution = .developer
        return request
    }

    func load<E: Endpoint>(_ endpoint: E) async throws(ServiceError) -> E.Response {
        do {
            let (data, response) = try await session.data(
                for: request(for: endpoint.path, items: endpoint.queryItems))
            guard let http = response as? HTTPURLResponse, http.statusCode == 200 else {
                throw ServiceError.status((response as? HTTPURLResponse)?.statusCode ?? 0)
            }
            return try JSONDecoder().decode(E.Response.self, from: data)
        } catch let error as ServiceError {
            throw error
        } catch {
            throw .unreachable(underlying: error as? URLError ?? URLError(.unknown))
        }
    }
}

@MainActor
final class ForecastViewController: UIViewController {
    enum ViewState { case loading, loaded(Double), failed(any Error) }

    private let label = UILabel()
    private lazy var retryButton = UIButton(
        configuration: .borderedTinted(title: "Retry"),
        primaryAction: UIAction { [weak self] _ in self?.reload() })
    private let service: WeatherService
    private var state: ViewState = .loading { didSet { render() } }

    init(service: WeatherService) {
        self.service = service
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }

    private func reload() {
        state = .loading
        Task {
            do { state = .loaded(try await service.load(PriceEndpoint()).value) } catch {
                state = .failed(error)
            }
        }
    }

    private func render() {
        retryButton.isHidden = true
        switch state {
        case .loading: label.text = "Loading…"
        case .loaded(let value):
            label.attributedText = NSAttributedString(
                string: value.formatted(.number.precision(.fractionLength(1))),
                attributes: [
                    .font: UIFont.boldSystemFont(ofSize: 30), .foregroundColor: UIColor.label,
                    .kern: 1.5,
                ])
        case .failed(let error):
            label.text = error.localizedDescription
            retryButton.isHidden = false
        }
    }
}

extension UIButton.Configuration {
    static func borderedTinted(title: String) -> Self {
        var configuration = Self.tinted()
        configuration.title = title
        configuration.image = UIImage(systemName: "arrow.clockwise")
        configuration.imagePadding = 8
        configuration.cornerStyle = .capsule
        return configuration
    }
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.forecast.refresh", using: nil
        ) { task in
            let work = Task {
                let server = ProcessInfo.processInfo.environment["SAMPLE_SERVER"]
                let urls = [server, "http://127.0.0.1:1"].compactMap {
                    $0.flatMap(URL.init(string:))
                }
                for url in urls {
                    do {
                        let quote = try await WeatherService(baseURL: url).load(PriceEndpoint())
                        print("Price \(quote.value)")
                    } catch {
                        print("error: \(error.localizedDescription)")
                    }
                }
                task.setTaskCompleted(success: !Task.isCancelled)
            }
            task.expirationHandler = { work.cancel() }
        }
        return true
    }
}
