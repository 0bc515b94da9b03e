// SPDX-License-Identifier: Apache-2.0
// A log-linear histogram of nanoseconds: 256 steps an octave, so each value is known to 0.4 %.
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
        max_ = std::max(max_, value);
    }

    // [[ns, count],...], which JMH writes as well: the lab computes means and percentiles of both.
    void print_json() const
    {
        const char *comma = "";
        std::printf("[");
        for (size_t i = 0; i < counts_.size(); i++) {
            if (counts_[i] == 0)
                continue;
            std::printf("%s[%llu,%llu]", comma, as_printed(std::min(highest(i), max_)),
                        as_printed(counts_[i]));
            comma = ",";
        }
        std::printf("]");
    }

private:
    static constexpr int kStepBits = 8;
    static constexpr uint64_t kSteps = uint64_t{1} << kStepBits;

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
    uint64_t max_ = 0;
};
