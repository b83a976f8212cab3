// SPDX-License-Identifier: Apache-2.0
import OffstageFleet

FleetTool.main()
