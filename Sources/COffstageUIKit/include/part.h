// SPDX-License-Identifier: Apache-2.0
// Nothing: a part of UIKit has no C of its own.
