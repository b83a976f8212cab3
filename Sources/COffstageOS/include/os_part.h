// SPDX-License-Identifier: Apache-2.0
// Nothing: a part of os has no C of its own.
