#include "model/components/cooling/classes.hpp"

#include <vector>

namespace podtwin {

std::span<const RegisteredClass> coolingClasses() {
  // A unit of several parts (cdu) comes after them: at a start it finds them initialised.
  static const std::vector<RegisteredClass> classes{zoneClass(),
                                                    heatCapacityClass(),
                                                    heatResistanceClass(),
                                                    heatSourceClass(),
                                                    pumpClass(),
                                                    resistanceClass(),
                                                    pipeClass(),
                                                    valveClass(),
                                                    threeWayValveClass(),
                                                    fixedFlowClass(),
                                                    flowLimitingValveClass(),
                                                    checkValveClass(),
                                                    differentialPressureValveClass(),
                                                    pressureReducingValveClass(),
                                                    pressureSustainingValveClass(),
                                                    balancingValveClass(),
                                                    strainerClass(),
                                                    quickDisconnectClass(),
                                                    tankClass(),
                                                    openTankClass(),
                                                    expansionVesselClass(),
                                                    leakClass(),
                                                    reliefValveClass(),
                                                    makeUpClass(),
                                                    plateHeatExchangerClass(),
                                                    coldPlateClass(),
                                                    heatLoadBankClass(),
                                                    dryCoolerClass(),
                                                    coolingTowerClass(),
                                                    chillerClass(),
                                                    fanWallClass(),
                                                    roomCoolerClass(),
                                                    liquidToAirExchangerClass(),
                                                    rearDoorExchangerClass(),
                                                    cduClass()};
  return classes;
}

}  // namespace podtwin
