<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AlertList</name>
    <message>
        <source>Nothing was noticed.</source>
        <translation>没有发现问题。</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>复制为文本</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Show deployment</source>
        <translation>查看部署</translation>
    </message>
</context>
<context>
    <name>Slow</name>
    <message>
        <source>Something slows it down</source>
        <translation>发现拖慢速度的因素</translation>
    </message>
    <message>
        <source>Nothing out of the ordinary</source>
        <translation>未见异常</translation>
    </message>
    <message>
        <source>Nobody asked anything meanwhile</source>
        <translation>期间没有请求</translation>
    </message>
    <message>
        <source>Not known: no figures could be read</source>
        <translation>未知：读不到数据</translation>
    </message>
    <message>
        <source>Trouble while serving: {count}</source>
        <translation>运行中的问题：{count}</translation>
    </message>
    <message>
        <source>in {seconds} s</source>
        <translation>{seconds} 秒内</translation>
    </message>
    <message>
        <source>in {seconds} s, requests that ended: {count}</source>
        <translation>{seconds} 秒内，结束的请求：{count}</translation>
    </message>
    <message>
        <source>On average: {figures}</source>
        <translation>平均：{figures}</translation>
    </message>
    <message>
        <source>over; {first} to {last}</source>
        <translation>已结束；{first} 至 {last}</translation>
    </message>
    <message>
        <source>since {first}, times: {count}</source>
        <translation>自 {first} 起，次数：{count}</translation>
    </message>
    <message>
        <source>since {first}</source>
        <translation>自 {first} 起</translation>
    </message>
</context>
<context>
    <name>SlowReportView</name>
    <message>
        <source>Looking for ten seconds at the engine&apos;s figures, its GPUs and the host, then asking one short question …</source>
        <translation>正在用十秒观察引擎数据、GPU 与主机，随后发送一个简短请求……</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>再看一次</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>复制为文本</translation>
    </message>
</context>
</TS>
