# SPDX-License-Identifier: Apache-2.0
"""What the experiments share: JDKs, programs, repetitions, noise, intervals, verdicts, results and pages."""
