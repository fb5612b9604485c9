<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Pages</name>
    <message>
        <source>Topology</source>
        <translation>拓扑</translation>
    </message>
</context>
<context>
    <name>Topology</name>
    <message>
        <source>Every pair is joined by NVLink.</source>
        <translation>任意两块之间都有 NVLink。</translation>
    </message>
    <message>
        <source>One NVLink island, but some pairs have no direct NVLink.</source>
        <translation>同属一个 NVLink 岛，但部分 GPU 之间没有直接的 NVLink。</translation>
    </message>
    <message>
        <source>No NVLink; all meet below one CPU socket, so PCIe is short.</source>
        <translation>没有 NVLink；都在同一个 CPU 插槽下，PCIe 路径较短。</translation>
    </message>
    <message>
        <source>No NVLink; some pairs cross the link between CPU sockets.</source>
        <translation>没有 NVLink；部分 GPU 之间要跨越 CPU 插槽间的链路。</translation>
    </message>
    <message>
        <source>Some pairs have NVLink, others only PCIe.</source>
        <translation>部分 GPU 之间有 NVLink，其余只有 PCIe。</translation>
    </message>
    <message>
        <source>How these GPUs are connected is not known.</source>
        <translation>这些 GPU 的连接方式未知。</translation>
    </message>
    <message>
        <source>NVLink</source>
        <translation>NVLink</translation>
    </message>
    <message>
        <source>same PCIe switch</source>
        <translation>同一 PCIe 交换机</translation>
    </message>
    <message>
        <source>several PCIe switches</source>
        <translation>多个 PCIe 交换机</translation>
    </message>
    <message>
        <source>through the CPU&apos;s host bridge</source>
        <translation>经过 CPU 主桥</translation>
    </message>
    <message>
        <source>between host bridges of one NUMA node</source>
        <translation>同一 NUMA 节点的主桥之间</translation>
    </message>
    <message>
        <source>between NUMA nodes</source>
        <translation>跨 NUMA 节点</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>TP {count}: GPU {list}</source>
        <translation>TP {count}：GPU {list}</translation>
    </message>
    <message>
        <source>The cards are of different kinds.</source>
        <translation>这些卡的型号不同。</translation>
    </message>
    <message>
        <source>NUMA node unknown</source>
        <translation>NUMA 节点未知</translation>
    </message>
    <message>
        <source>NUMA node {id}</source>
        <translation>NUMA 节点 {id}</translation>
    </message>
    <message>
        <source>Socket {id}</source>
        <translation>CPU 插槽 {id}</translation>
    </message>
    <message>
        <source>CPUs {list}</source>
        <translation>CPU {list}</translation>
    </message>
    <message>
        <source>PCIe switches</source>
        <translation>多级 PCIe 交换芯片</translation>
    </message>
    <message>
        <source>PCIe switch</source>
        <translation>PCIe 交换芯片</translation>
    </message>
    <message>
        <source>Root port {address}</source>
        <translation>根端口 {address}</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>型号</translation>
    </message>
    <message>
        <source>Memory together</source>
        <translation>显存合计</translation>
    </message>
    <message>
        <source>not reported</source>
        <translation>未报告</translation>
    </message>
    <message>
        <source>Memory used</source>
        <translation>已用显存</translation>
    </message>
    <message>
        <source>NUMA nodes</source>
        <translation>NUMA 节点</translation>
    </message>
    <message>
        <source>NUMA node</source>
        <translation>NUMA 节点</translation>
    </message>
    <message>
        <source>GPU {gpus} has no NVLink, its equals reach each other by {expected} links: it fell off the NVSwitch fabric. Leave it out, reset the GPUs or look at the fabric manager.</source>
        <translation>GPU {gpus} 没有 NVLink，而同型号的其他 GPU 两两之间有 {expected} 条链路：它已脱离 NVSwitch 互联。请避开这块 GPU，或重置 GPU、检查 fabric manager。</translation>
    </message>
    <message>
        <source>GPU {gpus} is not registered with the NVSwitch fabric (“{state}”): CUDA refuses to start on it. Look whether nvidia-fabricmanager runs in the driver&apos;s own version.</source>
        <translation>GPU {gpus} 未在 NVSwitch 互联中注册（“{state}”）：CUDA 无法在其上启动。请检查 nvidia-fabricmanager 是否在运行，且版本与驱动一致。</translation>
    </message>
    <message>
        <source>GPU {gpus} has {have} NVLinks up, its equals {expected}: the whole group runs slower. Look at bridge or baseboard and for Xid 74.</source>
        <translation>GPU {gpus} 只有 {have} 条 NVLink 处于连通状态，同型号的其他 GPU 有 {expected} 条：整组都会变慢。请检查桥接器或基板，并查找 Xid 74。</translation>
    </message>
    <message>
        <source>GPUs {gpus} have {have} NVLinks between them, the other pairs {expected}.</source>
        <translation>GPU {gpus} 之间有 {have} 条 NVLink，其他各对有 {expected} 条。</translation>
    </message>
    <message>
        <source>GPU {gpus} has {have} PCIe lanes, its equals {expected}: look at slot and bifurcation.</source>
        <translation>GPU {gpus} 有 {have} 条 PCIe 通道，同型号的其他 GPU 有 {expected} 条：请检查插槽与通道拆分设置。</translation>
    </message>
    <message>
        <source>off the fabric</source>
        <translation>脱离互联</translation>
    </message>
    <message>
        <source>fabric not ready</source>
        <translation>互联未就绪</translation>
    </message>
    <message>
        <source>NVLinks down</source>
        <translation>NVLink 断开</translation>
    </message>
    <message>
        <source>weak NVLink</source>
        <translation>NVLink 偏少</translation>
    </message>
    <message>
        <source>PCIe narrow</source>
        <translation>PCIe 通道偏少</translation>
    </message>
    <message>
        <source>MIG on, no instance</source>
        <translation>已启用 MIG，无实例</translation>
    </message>
</context>
<context>
    <name>TopologyPage</name>
    <message>
        <source>Export picture</source>
        <translation>导出图片</translation>
    </message>
    <message>
        <source>PNG</source>
        <translation>PNG</translation>
    </message>
    <message>
        <source>SVG</source>
        <translation>SVG</translation>
    </message>
    <message>
        <source>Plan on these GPUs</source>
        <translation>用这些 GPU 规划</translation>
    </message>
    <message>
        <source>Choose GPUs first</source>
        <translation>请先选择 GPU</translation>
    </message>
    <message>
        <source>Take fingerprint</source>
        <translation>采集指纹</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>推荐组合</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适合窗口</translation>
    </message>
    <message>
        <source>Topology</source>
        <translation>拓扑</translation>
    </message>
    <message>
        <source>Arrows move between GPUs, Space adds one to the choice, Enter chooses one.</source>
        <translation>方向键在 GPU 之间移动，空格加入选择，回车选定一块。</translation>
    </message>
    <message>
        <source>{host} · taken {time}</source>
        <translation>{host} · 采集于 {time}</translation>
    </message>
    <message>
        <source>no GPU found</source>
        <translation>没有找到 GPU</translation>
    </message>
    <message>
        <source>No fingerprint of {host} yet</source>
        <translation>还没有 {host} 的指纹</translation>
    </message>
    <message>
        <source>The topology is drawn from the host&apos;s fingerprint.</source>
        <translation>拓扑图根据主机指纹绘制。</translation>
    </message>
    <message>
        <source>No GPU found on {host}</source>
        <translation>{host} 上没有找到 GPU</translation>
    </message>
    <message>
        <source>The fingerprint shows what was asked and what the host answered.</source>
        <translation>指纹页列出了查询内容和主机的回答。</translation>
    </message>
    <message>
        <source>Saved as {file}</source>
        <translation>已保存为 {file}</translation>
    </message>
</context>
<context>
    <name>TopologyScene</name>
    <message>
        <source>each pair {link}</source>
        <translation>两两之间 {link}</translation>
    </message>
    <message>
        <source>most pairs {link}</source>
        <translation>多数 GPU 对 {link}</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>NVLink: links · GB/s, both ways</source>
        <translation>NVLink：链路数 · 双向 GB/s</translation>
    </message>
    <message>
        <source>NVLink island</source>
        <translation>NVLink 岛</translation>
    </message>
    <message>
        <source>PCIe</source>
        <translation>PCIe</translation>
    </message>
    <message>
        <source>NUMA node</source>
        <translation>NUMA 节点</translation>
    </message>
    <message>
        <source>PCIe switch</source>
        <translation>PCIe 交换芯片</translation>
    </message>
    <message>
        <source>The link matrix is not known</source>
        <translation>互连矩阵未知</translation>
    </message>
</context>
</TS>
