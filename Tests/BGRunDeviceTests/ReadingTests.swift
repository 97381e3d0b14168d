// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunTestMachine
import Testing

@testable import BGRunDevice

@Suite("Heat, pressure, storage and GPU", .timeLimit(.minutes(10)))
struct ReadingTests {
    @Test("the hottest sensor of a laptop decides, and a trip point of zero is ignored")
    func laptopHeat() throws {
        let heat = ThermalRule.state(try Tree(named: "laptop").read(ThermalZone.all))
        #expect(heat.value == .fair)
        #expect(heat.source == "/sys/class/thermal/thermal_zone1")
    }

    @Test(
        "heat is judged by the trip points",
        arguments: [
            (79_000, .nominal), (80_000, .fair), (89_999, .fair), (90_000, .serious),
            (99_999, .serious), (100_000, .critical), (130_000, .critical),
        ] as [(Int64, ThermalState)])
    func heat(temperature: Int64, state: ThermalState) {
        let zone = ThermalZone(
            name: "thermal_zone0", type: "cpu", temperature: temperature, passive: 90_000,
            critical: 105_000)
        #expect(ThermalRule.state([zone]).value == state)
    }

    @Test("without a passive trip point heat is derived from the critical one")
    func criticalOnly() {
        let zone = ThermalZone(name: "z", type: "cpu", temperature: 91_000, critical: 105_000)
        #expect(ThermalRule.state([zone]).value == .serious)
        #expect(ThermalRule.state([zone]).confidence == .derived)
    }

    @Test("a sensor that is disabled does not count")
    func disabledSensor() throws {
        let tree = try Tree(named: "laptop")
        try tree.set("/sys/class/thermal/thermal_zone1/mode = disabled")
        let names = tree.read(ThermalZone.all).map(\.name)
        #expect(!names.isEmpty && !names.contains("thermal_zone1"))
    }

    @Test("heat is unknown without a sensor or without trip points")
    func noTrips() {
        let zone = ThermalZone(name: "z", type: "nvme", temperature: 99_000)
        #expect(ThermalRule.state([zone]).value == nil)
        #expect(ThermalRule.state([]).value == nil)
        #expect(ThermalRule.state([]).confidence == .unknown)
    }

    @Test("the size of a file system that claims too many blocks is the largest number")
    func blocks() {
        #expect(StorageSnapshot.bytes(3, of: 4_096) == 12_288)
        #expect(StorageSnapshot.bytes(.max, of: 4_096) == .max)
    }

    @Test(
        "a share is read with two decimals of a per cent",
        arguments: [
            ("some avg10=1.53 avg60=0.00", 153),
            ("full avg10=9.99|some avg10=100.00 avg60=1.0", 10_000),
            ("some avg60=1.00", nil), ("some avg10=x.00", nil), ("", nil),
        ] as [(String, Int?)])
    func share(text: String, share: Int?) {
        let lines = String(text.map { $0 == "|" ? "\n" : $0 })
        #expect(PressureSnapshot.share("some", lines) == share)
    }

    @Test("pressure begins at its limit and ends below half of it")
    func pressure() {
        func isHigh(_ disk: Int, _ before: Reading) -> Reading {
            PressureRule.isHigh(
                PressureSnapshot(processor: 0, memory: 0, disk: disk), before: before
            ).value
        }
        #expect(isHigh(2_999, .no) == .no)
        #expect(isHigh(3_000, .no) == .yes)
        #expect(isHigh(1_500, .yes) == .yes)
        #expect(isHigh(1_499, .yes) == .no)
        #expect(isHigh(1_500, .unknown) == .no)
    }

    @Test("a kernel without PSI leaves pressure unknown")
    func noPressure() throws {
        let snapshot = try Tree(named: "container").read { PressureSnapshot($0) }
        #expect(snapshot == nil)
        #expect(PressureRule.isHigh(nil, before: .yes).value == .unknown)
    }

    @Test(
        "memory is low under 10 per cent, at most 1 GiB, until twice as much is available",
        arguments: [
            (nil, Reading.unknown, Reading.unknown),
            (MemorySnapshot(total: 0, available: 0), .unknown, .unknown),
            (MemorySnapshot(total: 1_000, available: 99), .unknown, .yes),
            (MemorySnapshot(total: 1_000, available: 100), .unknown, .no),
            (MemorySnapshot(total: 1_000, available: 199), .yes, .yes),
            (MemorySnapshot(total: 1_000, available: 200), .yes, .no),
            (MemorySnapshot(total: 1_000, available: 199), .no, .no),
            (MemorySnapshot(total: 64 << 20, available: 1 << 20), .unknown, .no),
            (MemorySnapshot(total: 64 << 20, available: 1 << 20 - 1), .unknown, .yes),
            (MemorySnapshot(total: .max, available: .max), .yes, .no),
        ] as [(MemorySnapshot?, Reading, Reading)])
    func memory(snapshot: MemorySnapshot?, before: Reading, low: Reading) {
        #expect(MemoryRule.isLow(snapshot, before: before).value == low)
    }

    @Test("memory and every plain reading are read from the files of the machine")
    func memoryFiles() throws {
        let tree = try Tree()
        let files = SystemFiles(root: tree.root)
        #expect(MemorySnapshot(files) == nil)
        try tree.set(
            "/proc/meminfo = MemTotal:       16303428 kB|MemFree: 1 kB|MemAvailable:    400 kB")
        #expect(MemorySnapshot(files) == MemorySnapshot(total: 16_303_428, available: 400))
        let findings = PlainFindings(files, stateDirectory: "/")
        for reading in PlainReading.all {
            #expect(findings[reading].source != "none", "\(reading.name)")
            if reading.name == "memory" { #expect(findings[reading].value == .yes) }
        }
        try tree.set("/proc/meminfo = MemTotal: x kB|MemAvailable: 400 kB")
        #expect(MemorySnapshot(files) == nil)
    }

    @Test(
        "storage is low under 5 per cent, at most 500 MB, and when no file fits any more",
        arguments: [
            (StorageSnapshot(size: 1_000, free: 50, files: 0, freeFiles: 0), .no),
            (StorageSnapshot(size: 1_000, free: 49, files: 0, freeFiles: 0), .yes),
            (StorageSnapshot(size: 1 << 40, free: 500_000_000, files: 0, freeFiles: 0), .no),
            (StorageSnapshot(size: 1 << 40, free: 499_999_999, files: 0, freeFiles: 0), .yes),
            (StorageSnapshot(size: 1_000, free: 900, files: 1_000, freeFiles: 9), .yes),
            (StorageSnapshot(size: 0, free: 0, files: 0, freeFiles: 0), .unknown),
            (nil, .unknown),
        ] as [(StorageSnapshot?, Reading)])
    func storage(snapshot: StorageSnapshot?, low: Reading) {
        #expect(StorageRule.isLow(snapshot, path: "/state").value == low)
    }

    @Test(
        "storage that was low stays so until twice as much is free",
        arguments: [(99, .yes), (100, .no)] as [(UInt64, Reading)])
    func storageAgain(free: UInt64, low: Reading) {
        let snapshot = StorageSnapshot(size: 1_000, free: free, files: 0, freeFiles: 0)
        #expect(StorageRule.isLow(snapshot, before: .yes, path: "/state").value == low)
        #expect(StorageRule.isLow(snapshot, before: .no, path: "/state").value == .no)
    }

    @Test(
        "storage in which few files fitted stays low until twice as many fit",
        arguments: [(19, .yes), (20, .no)] as [(UInt64, Reading)])
    func filesAgain(free: UInt64, low: Reading) {
        let snapshot = StorageSnapshot(size: 1_000, free: 900, files: 1_000, freeFiles: free)
        #expect(StorageRule.isLow(snapshot, before: .yes, path: "/state").value == low)
        #expect(StorageRule.isLow(snapshot, before: .no, path: "/state").value == .no)
    }

    @Test("a state directory that is not there yet is on the file system of its parent")
    func storageParent() throws {
        let tree = try Tree()
        let parent = try #require(StorageSnapshot(directory: tree.root))
        let child = try #require(StorageSnapshot(directory: tree.root + "/not/yet/there"))
        #expect(parent.size == child.size)
        #expect(StorageSnapshot(directory: "/proc/self/status/x") == nil)
    }

    @Test("a GPU is available to a user who may open its render node")
    func gpu() throws {
        #expect(GPURule.isPresent(try Tree(named: "laptop").read(GPUNode.all)).value == .yes)
        #expect(GPURule.isPresent(try Tree(named: "vm").read(GPUNode.all)).value == .no)
        let closed = GPUNode(path: "/dev/dri/renderD128", isUsable: false)
        #expect(GPURule.isPresent([closed]).value == .no)
    }
}
