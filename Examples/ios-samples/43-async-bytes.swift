//: task com.example.stream.refresh app-refresh
//: run
//: ends com.example.stream.refresh completed
//: says line: four
//: says Total 4 bytes

import BackgroundTasks
import SwiftUI

struct LineStream {
    let url: URL

    func readLines() async throws -> Int {
        let (bytes, response) = try await URLSession.shared.bytes(from: url)
        guard let http = response as? HTTPURLResponse, http.statusCode == 200 else {
            throw URLError(.badServerResponse)
        }
        var total = 0
        for try await line in bytes.lines {
            print("line: \(line)")
            total += line.utf8.count
        }
        return total
    }

    func download() async throws -> Data {
        var request = URLRequest(url: url)
        request.httpMethod = "GET"
        let (asyncBytes, response) = try await URLSession.shared.bytes(for: request)
        var data = Data()
        data.reserveCapacity(Int(max(0, response.expectedContentLength)))
        for try await byte in asyncBytes {
            data.append(byte)
        }
        return data
    }
}

@main
struct StreamApp: App {
    @State private var lines: [String] = []

    var body: some Scene {
        WindowGroup {
            List(lines, id: \.self) { line in
                Text(line)
            }
            .listStyle(.plain)
            .task {
                do {
                    for try await line in URL(string: "https://example.com")!.lines {
                        lines.append(line)
                    }
                } catch {
                    print(error)
                }
            }
        }
        .backgroundTask(.appRefresh("com.example.stream.refresh")) {
            let server = ProcessInfo.processInfo.environment["SAMPLE_SERVER"]!
            let stream = LineStream(url: URL(string: server + "/lines")!)
            do {
                _ = try await stream.readLines()
                let data = try await stream.download()
                print("Total \(data.count) bytes")
            } catch {
                print("Stream failed: \(error)")
            }
        }
    }
}
