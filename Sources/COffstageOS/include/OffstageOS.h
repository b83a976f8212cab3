// SPDX-License-Identifier: Apache-2.0
#pragma once
// Nothing: what os has is Swift's, and os_unfair_lock.h.
