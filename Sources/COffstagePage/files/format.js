// SPDX-License-Identifier: Apache-2.0
import { language, t } from './words.js';

export function bytes(count) {
  if (count === undefined || count === null) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = count, unit = 0;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit += 1; }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${units[unit]}`;
}

export const rate = (value) => `${bytes(Math.round(value || 0))}/s`;

export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const [days, hours, minutes, rest] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60, whole % 60];
  const unit = (count, name) => `${count}${t(`unit.${name}`)}`;
  if (days) return `${unit(days, 'd')} ${unit(hours, 'h')}`;
  if (hours) return `${unit(hours, 'h')} ${unit(minutes, 'm')}`;
  if (minutes) return `${unit(minutes, 'm')} ${unit(rest, 's')}`;
  return unit(rest, 's');
}

export function time(iso) {
  if (!iso) return '–';
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date().toDateString();
  const options = isToday ? { timeStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'short' };
  return new Intl.DateTimeFormat(language(), options).format(date);
}

export const ago = (iso) => duration((Date.now() - new Date(iso)) / 1000);
export const until = (iso) => duration((new Date(iso) - Date.now()) / 1000);
export const number = (value) => new Intl.NumberFormat(language()).format(value ?? 0);

export function amount(row) {
  if (row.state === 'finished' && row.result === 'completed') return bytes(row.bytesTotal ?? row.bytesDone);
  return row.bytesTotal ? `${bytes(row.bytesDone)} / ${bytes(row.bytesTotal)}` : bytes(row.bytesDone);
}

export function share(row) {
  if (row.state === 'finished') return row.result === 'completed' ? 1 : row.bytesTotal ? row.bytesDone / row.bytesTotal : 0;
  return row.bytesTotal ? row.bytesDone / row.bytesTotal : 0;
}
