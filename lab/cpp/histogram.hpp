// SPDX-License-Identifier: Apache-2.0
// A log-linear histogram of nanoseconds: 64 steps an octave, so each value is known to 1.6 %.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

class Histogram {
public:
    void record(int64_t ns)
    {
        const uint64_t value = ns < 0 ? 0 : static_cast<uint64_t>(ns);
        counts_[index(value)]++;
        count_++;
        sum_ += value;
        max_ = std::max(max_, value);
    }

    uint64_t count() const { return count_; }

    // {"count":..,"mean_ns":..,"bulk_mean_ns":..,"max_ns":..,"curve":[[percentile, ns],...]}: a point
    // wherever the share above has shrunk by a tenth. The bulk: the fastest 90 %, which interrupts and other
    // threads have not held up.
    void print_json() const
    {
        std::printf("\"count\":%llu,\"mean_ns\":%.2f,\"bulk_mean_ns\":%.2f,\"max_ns\":%llu,\"curve\":[",
                    as_printed(count_),
                    count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_), bulk_mean(),
                    as_printed(max_));
        uint64_t below = 0;
        double last_above = 2;
        const char *comma = "";
        for (size_t i = 0; i < counts_.size(); i++) {
            if (counts_[i] == 0)
                continue;
            below += counts_[i];
            const double above = 1 - static_cast<double>(below) / static_cast<double>(count_);
            if (above <= last_above * 0.9 || below == count_) {
                std::printf("%s[%.6f,%llu]", comma, 100 * (1 - above),
                            as_printed(std::min(highest(i), max_)));
                last_above = above;
                comma = ",";
            }
        }
        std::printf("]");
    }

private:
    static constexpr int kStepBits = 6;
    static constexpr uint64_t kSteps = uint64_t{1} << kStepBits;

    double bulk_mean() const
    {
        const uint64_t bulk = count_ - count_ / 10;
        uint64_t below = 0;
        double sum = 0;
        for (size_t i = 0; i < counts_.size() && below < bulk; i++) {
            const uint64_t taken = std::min(counts_[i], bulk - below);
            sum += static_cast<double>(taken) * static_cast<double>(highest(i));
            below += taken;
        }
        return bulk == 0 ? 0 : sum / static_cast<double>(bulk);
    }

    static unsigned long long as_printed(uint64_t value) { return value; }

    static size_t index(uint64_t value)
    {
        if (value < 2 * kSteps)
            return value;
        const int shift = 63 - __builtin_clzll(value) - kStepBits;
        return (static_cast<uint64_t>(shift) << kStepBits) + (value >> shift);
    }

    static uint64_t highest(size_t index)
    {
        if (index < 2 * kSteps)
            return index;
        const uint64_t shift = (index >> kStepBits) - 1;
        const uint64_t leading = kSteps + (index & (kSteps - 1));
        return ((leading + 1) << shift) - 1;
    }

    std::vector<uint64_t> counts_ = std::vector<uint64_t>(64 << kStepBits);
    uint64_t count_ = 0;
    uint64_t sum_ = 0;
    uint64_t max_ = 0;
};
