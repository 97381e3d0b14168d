//: task com.example.quotes.refresh app-refresh
//: run
//: ends com.example.quotes.refresh completed
//: says status 200, 4 bytes

import BackgroundTasks
import SwiftUI

@main
struct QuotesApp: App {
    var body: some Scene {
        WindowGroup {
            Text("Quotes")
        }
        .backgroundTask(.appRefresh("com.example.quotes.refresh")) {
            await QuoteLoader().refresh()
        }
    }
}

struct QuoteLoader {
    func refresh() async {
        let server = ProcessInfo.processInfo.environment["SAMPLE_SERVER"] ?? "https://example.com"
        guard let url = URL(string: "\(server)/file") else { return }
        var request = URLRequest(url: url)
        request.timeoutInterval = 20
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        do {
            let (data, response) = try await URLSession.shared.data(for: request)
            guard let response = response as? HTTPURLResponse else { return }
            print("status \(response.statusCode), \(data.count) bytes")
        } catch is CancellationError {
            print("cancelled")
        } catch let error as URLError where error.code == .cancelled {
            print("cancelled by the session")
        } catch {
            print("failed: \(error)")
        }
    }
}
